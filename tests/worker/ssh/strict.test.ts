import type { Connection } from 'ssh2';
import { describe, expect, it } from 'vitest';
import type { AlgorithmSet } from '#core/model/hosts/server.ts';
import { startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, request, targetTo, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';
import { hopTo, kexInit, packet, startSaying, string } from './raw-host.ts';
import { slipIn } from './slip-in.ts';

const CHACHA = 'chacha20-poly1305@openssh.com';
const CBC = 'aes256-cbc';
const ETM = 'hmac-sha2-256-etm@openssh.com';
const PLAIN = 'hmac-sha2-256';

interface Insides {
  readonly _protocol: { readonly _offer: { readonly constructor: new (offer: object) => object } };
}

/** A host that does not know strict key exchange, such as OpenSSH before 9.6; and what it negotiated. */
async function startLax(cipher: string[], mac: string[], slipped?: Buffer) {
  const negotiated: string[] = [];
  const double = await startDouble({
    connected(client: Connection) {
      const both = { cipher, mac, compress: ['none'], lang: [] };
      const offer = { kex: ['curve25519-sha256'], serverHostKey: ['ssh-ed25519'], cs: both, sc: both };
      const { _protocol } = client as unknown as Insides;
      const { constructor: KexInit } = _protocol._offer;
      Object.assign(_protocol, { _offer: new KexInit(offer), _strictMode: false });
      if (slipped) slipIn(client, slipped);
      client.on('handshake', ({ cs }) => negotiated.push(cs.cipher, cs.mac));
    },
  });
  return { ...double, negotiated };
}

describe('without strict key exchange', () => {
  it.each([
    [CHACHA, [CHACHA], [PLAIN], 'default'],
    [`${CBC} with ${ETM}`, [CBC], [ETM], 'legacy'],
  ] as const)('%s is refused', async (what, ciphers, macs, algorithms) => {
    const host = await startLax([...ciphers], [...macs]);
    const failure = await failureOf(worker().shells.open(host.target({ algorithms }), request()));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    expect(failure.detail).toContain(`would use ${what}, which is unsafe without strict key exchange`);
    expect(host.offered).toEqual([]);
  });

  it.each([
    ['another cipher', [CHACHA, 'aes256-ctr'], [ETM], 'default', ['aes256-ctr', ETM]],
    ['another MAC', [CBC], [ETM, PLAIN], 'legacy', [CBC, PLAIN]],
  ] as const)('%s is used where there is one', async (_what, ciphers, macs, algorithms, used) => {
    const host = await startLax([...ciphers], [...macs]);
    (await worker().shells.open(host.target({ algorithms }), request())).close();
    expect(host.negotiated).toEqual(used);
  });

  it('a message slipped in before NEWKEYS breaks the next one, before any credential', async () => {
    const host = await startLax(['aes256-ctr'], [ETM], IGNORE);
    const failure = await failureOf(worker().shells.open(host.target(), request()));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'host_key' });
    expect([host.negotiated, host.offered]).toEqual([['aes256-ctr', ETM], []]);
  });
});

const IGNORE = packet(Buffer.from([2, 0, 0, 0, 0]));

describe('with strict key exchange', () => {
  it.each([
    ['default', [`Ciphers ${CHACHA}`]],
    ['legacy', [`Ciphers ${CBC}`, `MACs ${ETM}`]],
  ] as const)('every algorithm is used: %s', async (algorithms: AlgorithmSet, config) => {
    const sshd = await startSshd({ config: [...config] });
    (await worker().shells.open(targetTo(sshd, { algorithms }), request())).close();
    await sshd.stop();
  });

  it.each([
    ['IGNORE', IGNORE],
    ['UNIMPLEMENTED', packet(Buffer.from([3, 0, 0, 0, 0]))],
    ['DEBUG', packet(Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0, 0]))],
    ['EXT_INFO', packet(Buffer.from([7, 0, 0, 0, 0]))],
    ['GLOBAL_REQUEST', packet(Buffer.concat([Buffer.from([80]), string('x'), Buffer.from([0])]))],
  ])('%s slipped in before NEWKEYS ends the connection, before any credential', async (_what, bytes) => {
    const host = await startDouble({
      algorithms: { cipher: [CHACHA] },
      connected: (client) => slipIn(client, bytes),
    });
    const failure = await failureOf(worker().shells.open(host.target(), request()));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'host_key' });
    expect(host.offered).toEqual([]);
  });

  const OFFER = kexInit([
    ...['curve25519-sha256,kex-strict-s-v00@openssh.com', 'ssh-ed25519', CHACHA, CHACHA],
    ...['', '', 'none', 'none', '', ''],
  ]);

  it.each([
    ['before', [IGNORE, OFFER]],
    ['after', [OFFER, IGNORE]],
  ])('a message slipped in %s the offer ends the connection', async (_where, packets) => {
    const host = await startSaying(Buffer.concat([Buffer.from('SSH-2.0-OpenSSH_9.9\r\n'), ...packets]));
    const failure = await failureOf(worker().shells.open({ hops: [hopTo(host.port)] }, request()));
    await host.stop();
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
  });
});
