import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { assertDepths, jumpsOf } from '#core/hosts/imports/jumps.ts';
import type { Jump } from '#core/hosts/imports/planned-server.ts';
import { ImportedServer } from '#core/model/server-transfer.ts';

const server = (fields: object) =>
  ImportedServer.parse({ hostname: 'h.example', username: 'u', name: 'box', ...fields });
const REGISTRY = [
  { id: 7, name: 'gate' },
  { id: 8, name: 'twin' },
  { id: 9, name: 'twin' },
];
const inFile = (index: number): Jump => ({ kind: 'file', index });
const inRegistry = (id: number): Jump => ({ kind: 'registry', id });

describe('Whom an imported server jumps through', () => {
  it('takes the server of that name in the file before one in the registry', () => {
    const { jumps, warnings } = jumpsOf(
      [server({ jump_via_name: 'gate' }), server({ name: 'gate' })],
      REGISTRY,
    );
    expect({ jumps, warnings }).toEqual({ jumps: [inFile(1), undefined], warnings: [] });
  });

  it('takes a registered server by name', () => {
    expect(jumpsOf([server({ jump_via_name: 'gate' })], REGISTRY).jumps).toEqual([inRegistry(7)]);
  });

  it('takes the server that had the old id inside the file when no name is given', () => {
    const file = [server({ jump_via_id: 40 }), server({ id: 40, name: 'old' })];
    expect(jumpsOf(file, REGISTRY).jumps).toEqual([inFile(1), undefined]);
  });

  it('never takes a registered server by raw id', () => {
    const { jumps, warnings } = jumpsOf([server({ jump_via_id: 7 })], REGISTRY);
    expect(jumps).toEqual([undefined]);
    expect(warnings).toEqual([expect.stringContaining('added without a jump host')]);
  });

  it('tells servers of one name in the file apart by the old id', () => {
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
  ])('leaves the jump host out with a warning when several %s have the name', (_where, file) => {
    const { jumps, warnings } = jumpsOf(file, REGISTRY);
    expect(jumps[0]).toBeUndefined();
    expect(warnings[0]).toContain('several servers');
  });

  it('leaves an unknown jump host out with a warning that names it', () => {
    const { jumps, warnings } = jumpsOf([server({ jump_via_name: 'nowhere' })], REGISTRY);
    expect(jumps).toEqual([undefined]);
    expect(warnings).toEqual(['box: there is no server named nowhere; added without a jump host']);
  });
});

describe('How deep imported servers lie', () => {
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

  it('counts the registered bastions before those of the file', async () => {
    const jumps = [inRegistry(7), inFile(0)];
    expect(await codeOf(assertDepths(jumps, async () => 7))).toBeUndefined();
    expect(await codeOf(assertDepths(jumps, async () => 8))).toBe('jump_too_deep');
  });

  it.each([
    ['of two', [inFile(1), inFile(0)]],
    ['of one', [inFile(0)]],
    ['behind others', [inFile(1), inFile(2), inFile(1)]],
  ])('refuses a circle %s', async (_what, jumps) => {
    expect(await codeOf(assertDepths(jumps, none))).toBe('jump_cycle');
  });
});
