import './style.css';
import { App } from './app/app';
import { makeTestInterface, optionsFromAddress } from './test_interface';
import { Connection, socketAddress } from './wire/connection';
import { readReport, reportElement } from './wire/report';

const app = new App(document.getElementById('app')!);
window.cardhouse = makeTestInterface(app);

const report = reportElement();
if (report) {
  readReport(report)
    .then((messages) => {
      for (const message of messages) app.receive(message);
    })
    .catch((problem: unknown) => app.say(`This report cannot be read: ${String(problem)}`));
} else {
  const connection = new Connection(socketAddress(location), {
    message: (message) => app.receive(message),
    status: (status, attempts) => app.showStatus(status, attempts),
  });
  app.useConnection((request) => connection.send(request));
}

/** Shows what the address asks for, and says when it is drawn: `cardhouse render` waits for that. */
async function followAddress(): Promise<void> {
  const { hash } = location;
  if (hash.length < 2) return;
  await window.cardhouse.show(optionsFromAddress(hash));
  if (location.hash !== hash) return; // another change came meanwhile, and answers for itself
  document.documentElement.dataset.ready = '1';
  if (!document.title.endsWith(' – ready')) document.title += ' – ready';
}

window.addEventListener('hashchange', () => void followAddress());
void followAddress();
