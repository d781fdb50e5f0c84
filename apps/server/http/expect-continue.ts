import type { Server } from 'node:http';

/** RFC 9110 §10.1.1: sends `100 Continue` when the body is first read, so that a refused request sends no body. */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (incoming, outgoing) => {
    outgoing.setHeader('Connection', 'close'); // after a refusal, the client may still send the body
    incoming.once('resume', () => {
      if (outgoing.headersSent) return;
      outgoing.removeHeader('Connection');
      outgoing.writeContinue();
    });
    server.emit('request', incoming, outgoing);
  });
}
