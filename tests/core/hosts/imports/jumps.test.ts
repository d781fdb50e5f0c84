import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { assertDepths, jumpsOf } from '#core/hosts/imports/jumps.ts';
import type { Jump } from '#core/hosts/imports/planned-server.ts';
import { ImportedServer } from '#core/model/hosts/server-transfer.ts';

const server = (fields: object) =>
  ImportedServer.parse({ hostname: 'h.example', username: 'u', name: 'box', ...fields });
const REGISTRY = [
  { id: 7, name: 'gate' },
  { id: 8, name: 'twin' },
  { id: 9, name: 'twin' },
];
const inFile = (index: number): Jump => ({ kind: 'file', index });
const inRegistry = (id: number): Jump => ({ kind: 'registry', id });

describe('The jump host of an imported server', () => {
  it('is the server of that name in the file before one in the registry', () => {
    const { jumps, warnings } = jumpsOf(
      [server({ jump_via_name: 'gate' }), server({ name: 'gate' })],
      REGISTRY,
    );
    expect({ jumps, warnings }).toEqual({ jumps: [inFile(1), undefined], warnings: [] });
  });

  it('is a registered server with that name', () => {
    expect(jumpsOf([server({ jump_via_name: 'gate' })], REGISTRY).jumps).toEqual([inRegistry(7)]);
  });

  it('is the server with the old id inside the file when no name is given', () => {
    const file = [server({ jump_via_id: 40 }), server({ id: 40, name: 'old' })];
    expect(jumpsOf(file, REGISTRY).jumps).toEqual([inFile(1), undefined]);
  });

  it('is never a registered server by raw id', () => {
    const { jumps, warnings } = jumpsOf([server({ jump_via_id: 7 })], REGISTRY);
    expect(jumps).toEqual([undefined]);
    expect(warnings).toEqual([expect.stringContaining('added without a jump host')]);
  });

  it('is found by the old id when several servers in the file share a name', () => {
    const file = [
      server({ jump_via_name: 'same', jump_via_id: 2 }),
      server({ id: 1, name: 'same' }),
      server({ id: 2, name: 'same' }),
    ];
    expect(jumpsOf(file, []).jumps[0]).toEqual(inFile(2));
  });

  it.each([
    ['in the file', [server({ jump_via_name: 'same' }), server({ name: 'same' }), server({ name: 'same' })]],
    ['in the registry', [server({ jump_via_name: 'twin' })]],
  ])('is left out with a warning when several %s have the name', (_where, file) => {
    const { jumps, warnings } = jumpsOf(file, REGISTRY);
    expect(jumps[0]).toBeUndefined();
    expect(warnings[0]).toContain('several servers');
  });

  it('is left out with a warning when its name is unknown', () => {
    const { jumps, warnings } = jumpsOf([server({ jump_via_name: 'nowhere' })], REGISTRY);
    expect(jumps).toEqual([undefined]);
    expect(warnings).toEqual(['box: there is no server named nowhere; added without a jump host']);
  });
});

describe('The depth of imported jump chains', () => {
  const none = async () => 0;
  const codeOf = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: unknown) => (error instanceof Fault ? error.code : error),
    );
  const chain = (length: number): Jump[] => [
    undefined,
    ...Array.from({ length }, (_, index) => inFile(index)),
  ];

  it('allows 8 jump hosts and refuses 9', async () => {
    expect(await codeOf(assertDepths(chain(8), none))).toBeUndefined();
    expect(await codeOf(assertDepths(chain(9), none))).toBe('jump_too_deep');
  });

  it('includes registered jump hosts in the count', async () => {
    const jumps = [inRegistry(7), inFile(0)];
    expect(await codeOf(assertDepths(jumps, async () => 7))).toBeUndefined();
    expect(await codeOf(assertDepths(jumps, async () => 8))).toBe('jump_too_deep');
  });

  it.each([
    ['of two', [inFile(1), inFile(0)]],
    ['of one', [inFile(0)]],
    ['behind others', [inFile(1), inFile(2), inFile(1)]],
  ])('refuses a cycle %s', async (_what, jumps) => {
    expect(await codeOf(assertDepths(jumps, none))).toBe('jump_cycle');
  });
});
