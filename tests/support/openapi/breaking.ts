import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiDocument, toReleased } from './released.ts';

const REDOCLY = 'node_modules/@redocly/cli/bin/cli.js';
/** Nothing may leave the machine, and nothing is looked up. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

interface Report {
  readonly changes: readonly {
    readonly path: string;
    readonly impact: 'major' | 'minor' | 'patch';
    readonly verdicts: readonly {
      readonly ruleId: string;
      readonly message: string;
      readonly impact: string;
      readonly location: { readonly pointer: string };
    }[];
  }[];
}

/** Additions to what clients receive. They are announced for a schema with `x-extensible`. */
const ADDITIONS = new Set(['enum-values-added', 'schema-combinator-changed']);

/** What a client of the first document could no longer rely on, in words. */
export async function breakingChanges(before: ApiDocument, after: ApiDocument): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-openapi-'));
  const [old_file, new_file, report_file] = ['old.json', 'new.json', 'report.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  try {
    await writeFile(old_file, toReleased(before));
    await writeFile(new_file, toReleased(after)); // descriptions would confuse its matching of parameters
    const options = ['--format=json', '--fail-on=none', '--lint-config=off', `--output=${report_file}`];
    const env = { ...process.env, ...OFFLINE };
    await promisify(execFile)(process.execPath, [REDOCLY, 'diff', old_file, new_file, ...options], { env });
    const { changes }: Report = JSON.parse(await readFile(report_file, 'utf8'));
    return changes.flatMap((change) => wordsOf(change, after));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function wordsOf({ path, verdicts }: Report['changes'][number], after: ApiDocument): string[] {
  const severe = verdicts.filter(
    ({ impact, ruleId, location }) =>
      impact === 'major' && !(ADDITIONS.has(ruleId) && isExtensible(location.pointer, after)),
  );
  return severe.map(({ message }) => `${path}: ${message}`);
}

/** Whether the schema that the pointer leads into has `x-extensible`. */
function isExtensible(pointer: string, document: ApiDocument): boolean {
  const keys = pointer.split('/').slice(1);
  const schemas: unknown[] = [document];
  for (const key of keys)
    schemas.push(memberOf(schemas.at(-1), key.replaceAll('~1', '/').replaceAll('~0', '~')));
  const [innermost] = schemas
    .reverse()
    .filter((one) => memberOf(one, 'enum') ?? memberOf(one, 'anyOf') ?? memberOf(one, 'oneOf'));
  return memberOf(innermost, 'x-extensible') === true;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
