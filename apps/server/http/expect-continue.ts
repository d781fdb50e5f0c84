import type { Server } from 'node:http';

/** RFC 9110 §10.1.1: `100 Continue` once somebody reads the body; a refusal before that needs none of it. */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (incoming, outgoing) => {
    outgoing.setHeader('Connection', 'close'); // refused, the client may send the body or leave it out
    incoming.once('resume', () => {
      if (outgoing.headersSent) return;
      outgoing.removeHeader('Connection');
      outgoing.writeContinue();
    });
    server.emit('request', incoming, outgoing);
  });
}
