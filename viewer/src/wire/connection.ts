import { decodeMessage, type Message } from './decode';
import type { Request } from './messages';

/** `refused`: the program is there, but the address is not for it */
export type ConnectionStatus = 'connecting' | 'connected' | 'waiting' | 'refused';

export interface ConnectionEvents {
  message: (message: Message) => void;
  status: (status: ConnectionStatus, attempts: number) => void;
}

const firstDelay = 250;
const longestDelay = 3000;

/** The socket to the program. Connects again when the program went away, with growing pauses. */
export class Connection {
  private socket: WebSocket | null = null;
  private attempts = 0;
  private timer = 0;

  constructor(
    private readonly address: string,
    private readonly events: ConnectionEvents,
  ) {
    this.connect();
    // A page that was in the background should not sit out the rest of a long pause.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.socket === null) this.connect();
    });
  }

  /** Returns false when there is no connection; requests are not kept, since a restarted program knows nothing of them. */
  send(request: Request): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(request));
    return true;
  }

  /** A browser does not tell why a socket was refused; a plain question does. */
  private askWhy(): void {
    fetch(this.address.replace(/^ws/, 'http'))
      .then((answer) => {
        if (answer.status !== 403) return;
        window.clearTimeout(this.timer);
        this.events.status('refused', this.attempts);
      })
      .catch(() => undefined); // nobody is there: the next attempt will tell
  }

  private connect(): void {
    window.clearTimeout(this.timer);
    this.events.status('connecting', this.attempts);
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onmessage = (event) => {
      if (!(event.data instanceof ArrayBuffer)) return;
      if (this.attempts > 0) {
        this.attempts = 0;
      }
      this.events.message(decodeMessage(event.data));
    };
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.events.status('connected', this.attempts);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (!opened && this.attempts === 0) this.askWhy();
      const delay = Math.min(longestDelay, firstDelay * 1.6 ** this.attempts);
      this.attempts += 1;
      this.events.status('waiting', this.attempts);
      this.timer = window.setTimeout(() => this.connect(), delay);
    };
  }
}

/** The socket's address that belongs to the page's own. */
export function socketAddress(page: Location): string {
  const token = new URLSearchParams(page.search).get('token') ?? '';
  const scheme = page.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${page.host}/socket?token=${encodeURIComponent(token)}`;
}
