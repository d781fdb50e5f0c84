import { execFile, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { atExit } from '../at-exit.ts';

const run = promisify(execFile);

const NAME_ATTEMPTS = 20;

/** A separate network in which a host can listen. */
export interface Place {
  readonly address: string;
  /** The address of the network before it, as seen from here. */
  readonly neighbor: string;
  /** The prefix of a command that runs there. */
  readonly through: readonly string[];
}

/** Three networks in a chain: the first is reachable from here, each other one only from the one before. */
export interface Row {
  readonly places: readonly [Place, Place, Place];
  remove(): void;
}

/** Why this machine does not allow network namespaces; undefined when it does. */
export async function whyNoRow(): Promise<string | undefined> {
  try {
    (await makeRow()).remove();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Namespaces connected by virtual cables, without routes between the cables. */
export async function makeRow(): Promise<Row> {
  const number = await takeNumber();
  const cable = `sallyport${number}`;
  const removeAll = () => {
    for (const end of ENDS) spawnSync('ip', ['netns', 'del', nameOf(number, end)]);
    spawnSync('ip', ['link', 'del', cable]);
    spawnSync('ip', ['route', 'del', 'unreachable', rangeOf(number)]);
  };
  const callOff = atExit(removeAll);
  const remove = () => {
    callOff();
    removeAll();
  };
  try {
    await layCables(number, cable);
  } catch (error) {
    remove();
    throw error;
  }
  const place = (end: End): Place => {
    const { near: neighbor, far: address } = addressesOf(number, end);
    return { address, neighbor, through: ['/sbin/ip', 'netns', 'exec', nameOf(number, end)] };
  };
  return { places: [place('a'), place('b'), place('c')], remove };
}

const ENDS = ['a', 'b', 'c'] as const;
type End = (typeof ENDS)[number];

/** The address range of a row, from the range for benchmarks (RFC 2544). */
const rangeOf = (number: number) => `198.18.${number}.0/24`;

const nameOf = (number: number, end: End) => `sallyport-test-${number}-${end}`;

/** The addresses of both ends of its cable. */
function addressesOf(number: number, end: End): { near: string; far: string } {
  const first = 4 * ENDS.indexOf(end) + 1;
  return { near: `198.18.${number}.${first}`, far: `198.18.${number}.${first + 1}` };
}

/** A unique name: a namespace is created once under its name. */
async function takeNumber(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const number = randomInt(1, 255);
    try {
      await run('ip', ['netns', 'add', nameOf(number, 'a')]);
      return number;
    } catch (error) {
      if (attempt === NAME_ATTEMPTS || !String(error).includes('File exists')) throw error;
    }
  }
}

async function layCables(number: number, cable: string): Promise<void> {
  // A default route could lead to something that accepts every connection.
  await run('ip', ['route', 'add', 'unreachable', rangeOf(number)]);
  const end = (letter: End) => ({ to: nameOf(number, letter), addresses: addressesOf(number, letter) });
  await run('ip', ['netns', 'add', nameOf(number, 'b')]);
  await run('ip', ['netns', 'add', nameOf(number, 'c')]);
  await lay({ from: [], name: cable, ...end('a') });
  await lay({ from: ['-n', nameOf(number, 'a')], name: 'forth', ...end('b') });
  await lay({ from: ['-n', nameOf(number, 'b')], name: 'forth', ...end('c') });
}

interface Cable {
  readonly from: readonly string[];
  readonly to: string;
  readonly name: string;
  readonly addresses: { readonly near: string; readonly far: string };
}

async function lay({ from, to, name, addresses }: Cable): Promise<void> {
  const near = (...args: string[]) => run('ip', [...from, ...args]);
  const far = (...args: string[]) => run('ip', ['-n', to, ...args]);
  await near('link', 'add', name, 'type', 'veth', 'peer', 'name', 'back', 'netns', to);
  await near('address', 'add', `${addresses.near}/30`, 'dev', name);
  await far('address', 'add', `${addresses.far}/30`, 'dev', 'back');
  await near('link', 'set', name, 'up');
  await far('link', 'set', 'back', 'up');
  await far('link', 'set', 'lo', 'up');
}
