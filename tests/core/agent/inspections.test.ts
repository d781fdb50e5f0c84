import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ENVIRONMENT, INSPECTIONS, type Inspection } from '#core/agent/inspections.ts';
import { commandLine } from '#worker/inspections/command.ts';

const MARKER = 'sp-0123456789abcdef';

const CHARACTERS = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));
const FORBIDDEN = CHARACTERS.filter((character) => !/[A-Za-z0-9@._:+-]/.test(character));

const HOSTILE = [
  ...FORBIDDEN.map((character) => `a${character}b`),
  ...['-', '.', '@', ':', '+', '_'].map((first) => `${first}a`),
  '; rm -rf /',
  'nginx; id',
  '$(id)',
  '`id`',
  'a\nid',
  'a\rid',
  'a\0b',
  '-rf',
  '--output=/tmp/x',
  '--',
  '-',
  '',
  ' ',
  'a b',
  '../../etc/passwd',
  '/etc/passwd',
  'a/../b',
  "a'b",
  'a"b',
  'a\\b',
  'a|id',
  'a&id',
  'a>b',
  'a<b',
  'a*',
  'a?',
  'a[b]',
  'a{b,c}',
  '~root',
  '!!',
  'a!b',
  'a#b',
  '%PATH%',
  'a%b',
  'ünit',
  'ｎginx',
  'a\u202eb',
  'a\u0000',
  'nginx\n',
  'a'.repeat(101),
  '\ud800',
];
const TAME = ['nginx', 'nginx.service', 'getty@tty1.service', 'lib6:amd64', 'g++', 'a', 'a'.repeat(100)];

const schemaOf = ({ arguments: shape }: Inspection) => z.strictObject(shape);
const KINDS: Readonly<Record<string, readonly unknown[]>> = {
  string: [...HOSTILE, ...TAME],
  number: [-1, 0, 1, 1.5, 99, 100, 500, 1e6, 2 ** 53, Number.NaN, '5; id', '5'],
  boolean: [true, false, 'true; id'],
};

/** Values to try for one argument: hostile and tame ones, and what the schema lists. */
function candidates(property: { type?: string; enum?: readonly unknown[] }): readonly unknown[] {
  return [
    ...(property.enum ?? []),
    ...(KINDS[property.type ?? 'string'] ?? []),
    ...HOSTILE,
    [],
    {},
    null,
    undefined,
  ];
}

function* argumentsOf(inspection: Inspection): Generator<Record<string, unknown>> {
  const schema = z.toJSONSchema(schemaOf(inspection), { io: 'input' });
  const properties = Object.entries(
    (schema.properties ?? {}) as Record<string, { type?: string; enum?: unknown[] }>,
  );
  const usual = Object.fromEntries(
    properties.map(([name, { enum: listed, type }]) => [
      name,
      listed?.[0] ?? (type === 'string' ? 'nginx' : undefined),
    ]),
  );
  yield usual;
  for (const [name, property] of properties) {
    for (const value of candidates(property)) yield { ...usual, [name]: value };
  }
}

const accepted = INSPECTIONS.flatMap((inspection) =>
  [...argumentsOf(inspection)]
    .map((args) => schemaOf(inspection).safeParse(args))
    .flatMap(({ success, data }) => (success ? [{ inspection, data }] : [])),
);

describe('an inspection', () => {
  it('is tried with many arguments', () => {
    expect(new Set(accepted.map(({ inspection }) => inspection.name)).size).toBe(INSPECTIONS.length);
    expect(accepted.length).toBeGreaterThan(60);
  });

  it('takes nothing from the model but plain words, numbers and listed values', () => {
    const words = accepted.flatMap(({ inspection, data }) => inspection.argvs(data)).flat();
    expect(words.filter((word) => !/^[A-Za-z0-9@._:+=,/-]+$/.test(word))).toEqual([]);
    for (const { inspection, data } of accepted) {
      for (const value of Object.values(data)) {
        if (typeof value === 'string') expect(HOSTILE).not.toContain(value);
        if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
      }
      const { name } = inspection;
      expect([name, Object.keys(data).length <= 5]).toEqual([name, true]);
    }
  });

  it('never runs a program that a model names, and never gives it an option', () => {
    const programs = new Set(
      INSPECTIONS.flatMap((inspection) =>
        [...argumentsOf(inspection)].flatMap((args) => {
          const { success, data } = schemaOf(inspection).safeParse(args);
          return success ? inspection.argvs(data).map(([program]) => program) : [];
        }),
      ),
    );
    for (const program of programs) expect([...HOSTILE, ...TAME]).not.toContain(program);
    for (const { inspection, data } of accepted) {
      for (const argv of inspection.argvs(data)) {
        for (const word of TAME.filter((one) => Object.values(data).includes(one))) {
          const at = argv.findIndex((part) => part.endsWith(word));
          expect(at).toBeGreaterThan(0);
          expect([word, `--unit=${word}`]).toContain(argv[at]);
        }
      }
    }
  });

  it('becomes one command line of quoted words', () => {
    for (const { inspection, data } of accepted) {
      for (const argv of inspection.argvs(data)) {
        const line = commandLine(MARKER, [...ENVIRONMENT, ...argv]);
        expect(line).toMatch(/^echo sp-[0-9a-f]{16};( '[A-Za-z0-9@._:+=,/-]+')+$/);
      }
    }
  });

  it('is not made of words with any other character, even if a table held them', () => {
    for (const word of HOSTILE.filter((one) => /[^A-Za-z0-9@._:+=,/-]/.test(one) || one === '')) {
      expect(() => commandLine(MARKER, ['systemctl', 'status', word])).toThrow('not allowed');
      expect(() => commandLine(word, ['systemctl'])).toThrow('not allowed');
    }
  });
});
