import { expect, it } from 'vitest';
import { failureOf, request, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';
import { insidesOf } from './hostile-login.ts';

/** A host that accepts channels, but takes at most this many bytes in one packet. */
function startTaking(bytes: number) {
  return startDouble({
    connected(client) {
      const { _protocol } = insidesOf(client);
      const confirm = _protocol.channelOpenConfirm.bind(_protocol);
      _protocol.channelOpenConfirm = (remote, local, window) => confirm(remote, local, window, bytes);
    },
  });
}

it.each([0, 1, 255])('a host that takes packets of %i bytes loses the connection', async (bytes) => {
  const double = await startTaking(bytes);
  const opening = worker().shells.open(double.target(), request());
  expect(await failureOf(opening)).toMatchObject({
    code: 'ssh_protocol',
    detail: `127.0.0.1:${double.port} takes only ${bytes} bytes in one packet`,
  });
});

it('a host that takes small packets is used', async () => {
  const double = await startTaking(256);
  await worker().shells.open(double.target(), request());
});
