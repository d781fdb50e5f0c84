import type { SftpChannel } from '../protocol/channel.ts';
import { readMembers } from './read-entries.ts';
import { problemAt, type Step } from './walk-step.ts';

// Directories are read before it is their turn, or a long line would cost a few round trips for each; but the order
// stays, and no more than this is kept.
const DIRECTORIES_AT_ONCE = 16;
const LOOK_AHEAD = 64; // directories in line
const MAX_STEPS_KEPT = 8_000;
const MAX_STEPS_OF_ONE = 1_000;

export interface WalkLine {
  /** Undefined at the end. One at a time. */
  next(): Promise<Step[] | undefined>;
}

export interface WalkLineOptions {
  readonly root: string;
  readonly order: WalkOrder;
  readonly signal: AbortSignal;
}

export function createWalkLine(channel: SftpChannel, { root, order, signal }: WalkLineOptions): WalkLine {
  const places = createPlaces(root, order);
  const wakeups = createWakeups(signal);
  const kept = createKept(wakeups);
  let reading = 0;

  function mayRead(place: Place): boolean {
    return place === places.head() || (reading < DIRECTORIES_AT_ONCE && kept.steps() < MAX_STEPS_KEPT);
  }
  function readAhead(): void {
    let place = signal.aborted ? undefined : places.head();
    for (let looked = 0; place && looked < LOOK_AHEAD && mayRead(place); looked += 1) {
      if (place.state === 'waiting') void read(place);
      place = place.next;
    }
  }
  async function read(place: Place): Promise<void> {
    place.state = 'reading';
    reading += 1;
    await readBatches(place).catch((error: unknown) => keepFailure(place, error));
    place.state = 'read';
    reading -= 1;
    wakeups.tell();
    readAhead();
  }
  async function readBatches(place: Place): Promise<void> {
    const insert = places.inserter(place);
    for await (const members of readMembers(channel, place.path, signal)) {
      const steps = members.map((member) => ({ relative: below(place.relative, member.name), member }));
      for (const { member, relative } of steps) if (isOpenable(member)) insert(member.path, relative);
      kept.put(place, steps);
      readAhead();
      while (place.kept > MAX_STEPS_OF_ONE) await wakeups.next();
    }
  }
  function keepFailure(place: Place, error: unknown): void {
    try {
      kept.put(place, [problemAt(channel, place, error)]);
    } catch (lost) {
      place.failure = lost;
    }
  }

  return {
    async next() {
      readAhead();
      for (let head = places.head(); head; head = places.head()) {
        const batch = kept.take(head);
        readAhead();
        if (batch) return batch;
        if (head.failure !== undefined) throw head.failure;
        if (head.state === 'read') places.advance();
        else await wakeups.next();
      }
      return undefined;
    },
  };
}

/** Steps that were read, and not taken yet. */
function createKept(wakeups: Wakeups) {
  let kept = 0;
  function count(place: Place, steps: number): void {
    place.kept += steps;
    kept += steps;
    wakeups.tell();
  }
  return {
    steps: () => kept,
    put(place: Place, steps: Step[]): void {
      place.batches.push(steps);
      count(place, steps.length);
    },
    take(place: Place): Step[] | undefined {
      const batch = place.batches.shift();
      count(place, -(batch?.length ?? 0));
      return batch;
    },
  };
}

function isOpenable({ is_directory, addressable }: Step['member']): boolean {
  return is_directory && addressable;
}

function below(relative: string, name: string): string {
  return relative === '' ? name : `${relative}/${name}`;
}

/** `depth`: a directory with all that is in it before the next one. `breadth`: what is near first. */
export type WalkOrder = 'depth' | 'breadth';

/** A directory in line. */
export interface Place {
  readonly path: string;
  readonly relative: string;
  next: Place | undefined;
  state: 'waiting' | 'reading' | 'read';
  /** Read, and not taken yet. */
  readonly batches: Step[][];
  kept: number;
  failure?: unknown;
}

/** Directories in the order of a walk. */
export interface Places {
  head(): Place | undefined;
  /** The first of them is over. */
  advance(): void;
  /** Those found in one of them come after it, or after all others. */
  inserter(found_in: Place): (path: string, relative: string) => void;
}

export function createPlaces(root: string, order: WalkOrder): Places {
  let head: Place | undefined = placeAt(root, '');
  let last = head;
  function insert(place: Place, before: Place): void {
    place.next = before.next;
    before.next = place;
    if (before === last) last = place;
  }
  return {
    head: () => head,
    advance() {
      head = head?.next;
    },
    inserter(found_in) {
      let latest = found_in;
      return (path, relative) => {
        const place = placeAt(path, relative);
        insert(place, order === 'depth' ? latest : last);
        latest = place;
      };
    },
  };
}

function placeAt(path: string, relative: string): Place {
  return { path, relative, next: undefined, state: 'waiting', batches: [], kept: 0 };
}

export interface Wakeups {
  /** Something has changed. */
  tell(): void;
  /** Until something changes; rejects when the signal aborts. */
  next(): Promise<void>;
}

interface Waiting {
  readonly wake: () => void;
  readonly fail: (reason: unknown) => void;
}

/** For those that wait for one another: whoever waits is woken at every change, and looks again. */
export function createWakeups(signal: AbortSignal): Wakeups {
  let waiting: Waiting[] = [];
  function takeAll(): Waiting[] {
    const all = waiting;
    waiting = [];
    return all;
  }
  const abort = () => {
    for (const { fail } of takeAll()) fail(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  return {
    tell() {
      for (const { wake } of takeAll()) wake();
    },
    next: () =>
      new Promise((wake, fail) => {
        if (signal.aborted) fail(signal.reason);
        else waiting.push({ wake, fail });
      }),
  };
}
