import { describe, expect, it } from 'vitest';
import { createKeyring } from '#core/crypto/keyring.ts';
import { ANY_WORKER, createForwardedAddresses } from '#core/instances/forwarded-addresses.ts';
import { createInstanceProofs } from '#core/instances/proofs.ts';

const keyring = await createKeyring('a secret key of the tests, long enough');
const clockAt = (s: number) => ({
  now: () => new Date(Date.parse('2026-01-01T00:00:00Z') + s * 1000),
  elapsed_ms: () => 0,
  after: () => () => undefined,
});
const CALLER = { ip_address: '192.0.2.7' };
const REQUEST = { method: 'GET', path: '/api/servers?group=lab', authorization: 'Bearer one' };

const at = (s: number, ...audiences: string[]) => createForwardedAddresses(keyring, clockAt(s), audiences);

describe('The proof of a forwarded address', () => {
  const signed = (audience?: string) => at(0).sign(CALLER, REQUEST, audience);

  it('is accepted by the instance and for the request that it names', async () => {
    expect(await at(1, 'b').verify(await signed('b'), REQUEST)).toEqual(CALLER);
    expect(await at(1, 'b', ANY_WORKER).verify(await signed(), REQUEST)).toEqual(CALLER);
  });

  it('names the host that the browser asked an edge for', async () => {
    const sender = { ...CALLER, host: 'edge.example' };
    const proof = await at(0).sign(sender, REQUEST);
    expect(await at(1, ANY_WORKER).verify(proof, REQUEST)).toEqual(sender);
  });

  it('is refused by any other instance', async () => {
    expect(await at(1, 'c', ANY_WORKER).verify(await signed('b'), REQUEST)).toBeUndefined();
    expect(await at(1).verify(await signed('b'), REQUEST)).toBeUndefined();
    expect(await at(1).verify(await signed(), REQUEST)).toBeUndefined();
  });

  it.each([
    ['method', { method: 'DELETE' }],
    ['path', { path: '/api/users?group=lab' }],
    ['query', { path: '/api/servers?group=web' }],
    ['caller', { authorization: 'Bearer two' }],
  ])('is refused for a request with another %s', async (_what, other) => {
    expect(await at(1, 'b').verify(await signed('b'), { ...REQUEST, ...other })).toBeUndefined();
  });

  it('is accepted once', async () => {
    const addresses = at(1, 'b');
    const proof = await signed('b');
    expect(await addresses.verify(proof, REQUEST)).toEqual(CALLER);
    expect(await addresses.verify(proof, REQUEST)).toBeUndefined();
    expect(await addresses.verify(await signed('b'), REQUEST)).toEqual(CALLER);
  });

  it('expires after a minute, and clocks may differ by 30 s', async () => {
    const proof = await signed('b');
    for (const s of [-29, 0, 89]) expect(await at(s, 'b').verify(proof, REQUEST)).toEqual(CALLER);
    for (const s of [-31, 91]) expect(await at(s, 'b').verify(proof, REQUEST)).toBeUndefined();
  });
});

describe('The proof of the address of an instance', () => {
  const ADDRESS = { run_id: 'run', url: 'http://b.test:8443' };
  const proofsAt = (s: number) => createInstanceProofs(keyring, clockAt(s));

  it('holds for its run and its address, for a minute', async () => {
    const proof = await proofsAt(0).sign(ADDRESS);
    for (const s of [-29, 0, 89]) expect(await proofsAt(s).holds({ ...ADDRESS, proof })).toBe(true);
    for (const s of [-31, 91]) expect(await proofsAt(s).holds({ ...ADDRESS, proof })).toBe(false);
    expect(await proofsAt(0).holds({ ...ADDRESS, url: 'http://evil.test', proof })).toBe(false);
    expect(await proofsAt(0).holds({ ...ADDRESS, run_id: 'other', proof })).toBe(false);
  });

  it('is signed with another key than forwarded addresses', async () => {
    const same = { ...keyring, instances: keyring.forward };
    const proof = await createInstanceProofs(same, clockAt(0)).sign(ADDRESS);
    expect(await proofsAt(0).holds({ ...ADDRESS, proof })).toBe(false);
  });
});
