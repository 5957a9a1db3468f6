// Runs the program that CARDHOUSE_PROGRAM names.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export const program = process.env.CARDHOUSE_PROGRAM ?? '';

export function run(...options: string[]): string {
  return execFileSync(program, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

export interface Viewed {
  address: string;
  port: number;
  close(): Promise<void>;
}

/** Starts `cardhouse view` and waits for its address. */
export async function view(port: number, ...what: string[]): Promise<Viewed> {
  const child: ChildProcess = spawn(program, ['view', ...what, '--no-browser', '--port', String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const address = await new Promise<string>((found, failed) => {
    const listen = (data: Buffer) => {
      said += data.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]+/.exec(said);
      if (match) found(match[0]);
    };
    child.stdout!.on('data', listen);
    child.stderr!.on('data', listen);
    child.on('error', failed);
    child.on('exit', (code) => failed(new Error(`cardhouse view ended with ${code}: ${said}`)));
  });
  return {
    address,
    port: Number(new URL(address).port),
    close: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
    },
  };
}
