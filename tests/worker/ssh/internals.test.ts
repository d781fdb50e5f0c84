import { Client } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { assertAnnouncedAlgorithms } from '#worker/ssh/internals/announced-algorithms.ts';
import { assertChannelSignals } from '#worker/ssh/internals/channel-signals.ts';
import { assertSsh2 } from '#worker/ssh/internals/check.ts';
import { assertGroupExchange, assertKeyExchange } from '#worker/ssh/internals/key-exchange.ts';
import { assertPing } from '#worker/ssh/internals/ping.ts';
import { assertProtocol } from '#worker/ssh/internals/protocol.ts';
import { assertPublicKeyRequests } from '#worker/ssh/internals/public-key-requests.ts';

/** A client of another version of ssh2, whose protocol has only these parts. */
const otherClient = (protocol: object) => Object.assign(new Client(), { _protocol: protocol });

describe('the check of ssh2 at start', () => {
  it('accepts the installed version', () => {
    expect(assertSsh2).not.toThrow();
  });

  it.each([
    ['Protocol.authPK (function)', () => assertPublicKeyRequests(otherClient({}))],
    ['Protocol.signal (function)', () => assertChannelSignals(otherClient({}))],
    ['Client._callbacks (object)', () => assertPing(otherClient({ ping() {} }))],
    ['Protocol._handlers (object)', () => assertAnnouncedAlgorithms(otherClient({}))],
    [
      'Protocol._handlers.EXT_INFO (function)',
      () => assertAnnouncedAlgorithms(otherClient({ _handlers: {} })),
    ],
    [
      'Protocol._onPayload (function), Protocol._onWrite (function)',
      () => assertProtocol(otherClient({ _hostVerifier() {} })),
    ],
    [
      'KeyExchange.negotiated.sc (object)',
      () => assertKeyExchange(Object({ negotiated: { kex: '', cs: {} } })),
    ],
    ['DHGroupExchange.setDHParams (function)', () => assertGroupExchange(Object({}))],
  ])('names what another version lacks: %s', (missing, check) => {
    expect(check).toThrow(`This version of ssh2 lacks ${missing}`);
  });
});
