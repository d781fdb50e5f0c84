import { readFileSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);

export interface Instruction {
  readonly name: string;
  /** `--from=build` → `{ from: 'build' }`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** The instructions of each stage; the last stage is the runtime image. */
export function readDockerfile(): Instruction[][] {
  const text = readFileSync(new URL('Dockerfile', ROOT), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ');
  const stages: Instruction[][] = [];
  for (const line of text.split('\n').filter((found) => found.trim() !== '')) {
    const instruction = parse(line);
    if (instruction.name === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

function parse(line: string): Instruction {
  const [, name = '', flags = '', rest = ''] = /^(\w+)((?:\s+--[\w-]+=\S+)*)\s*(.*)$/.exec(line) ?? [];
  const pairs = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag = '', value = '']) => [flag, value]);
  return { name, flags: Object.fromEntries(pairs), rest };
}

/** Parses `A=b C="d e"` into an object. */
export function assignments(
  instructions: readonly Instruction[],
  name: 'ENV' | 'LABEL',
): Record<string, string> {
  const rest = instructions.filter((found) => found.name === name).map((found) => found.rest);
  const pairs = [...rest.join(' ').matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)];
  return Object.fromEntries(pairs.map(([, key = '', quoted, bare]) => [key, quoted ?? bare ?? '']));
}

/** Whether `.dockerignore` excludes a path from the build. */
export function isIgnored(path: string): boolean {
  const lines = readFileSync(new URL('.dockerignore', ROOT), 'utf8').split('\n');
  const segments = path.split('/');
  const itself_and_above = segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  let ignored = false;
  for (const line of lines.filter((found) => found !== '' && !found.startsWith('#'))) {
    const pattern = patternOf(line.replace(/^!/, ''));
    if (itself_and_above.some((found) => pattern.test(found))) ignored = !line.startsWith('!');
  }
  return ignored;
}

function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${source}$`);
}
