import { Fault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { readEntries } from './read-entries.ts';
import { type Step, toProblemStep } from './walk-step.ts';

// Directories are read ahead, or each would cost a few round trips. Results are still delivered in order, and these
// limits bound what is buffered.
const DIRECTORIES_AT_ONCE = 16;
const LOOK_AHEAD = 64; // queued directories
const MAX_STEPS_KEPT = 8_000;
const MAX_STEPS_OF_ONE = 1_000;
// Limit of all texts in characters: a hostile host sends names as long as possible.
const MAX_LENGTH_KEPT = 8 * 1024 * 1024;
const MAX_LENGTH_OF_ONE = 512 * 1024;
const MAX_LENGTH_QUEUED = 64 * 1024 * 1024;
const QUEUED_LENGTH = 128; // what a queued directory takes besides its paths

export interface WalkQueue {
  /** Undefined at the end. Only one call at a time. */
  next(): Promise<Step[] | undefined>;
}

export interface WalkQueueOptions {
  readonly root: string;
  readonly order: WalkOrder;
  /** False for a directory that is reported, but not read; the root is always read. */
  readonly enters?: ((path: string, relative: string) => boolean) | undefined;
  readonly signal: AbortSignal;
}

export function createWalkQueue(
  channel: SftpChannel,
  { root, order, enters = always, signal }: WalkQueueOptions,
): WalkQueue {
  const directories = createDirectoryQueue(root, order);
  const changed = createChangeSignal(signal);
  const kept = createStepBuffer(changed);
  let reading = 0;

  function isEntered({ entry, relative }: Step): boolean {
    return isOpenable(entry) && enters(entry.path, relative);
  }
  function mayRead(place: QueuedDirectory): boolean {
    return place === directories.head() || (reading < DIRECTORIES_AT_ONCE && !kept.isFull());
  }
  function readAhead(): void {
    let place = signal.aborted ? undefined : directories.head();
    for (let looked = 0; place && looked < LOOK_AHEAD && mayRead(place); looked += 1) {
      if (place.state === 'waiting') void read(place);
      place = place.next;
    }
  }
  async function read(place: QueuedDirectory): Promise<void> {
    place.state = 'reading';
    reading += 1;
    await readBatches(place).catch((error: unknown) => keepFailure(place, error));
    place.state = 'read';
    reading -= 1;
    changed.notify();
    readAhead();
  }
  async function readBatches(place: QueuedDirectory): Promise<void> {
    const insert = directories.inserter(place);
    for await (const entries of readEntries(channel, place.path, signal)) {
      const steps = entries.map((entry) => ({ relative: below(place.relative, entry.name), entry }));
      for (const { entry, relative } of steps.filter(isEntered)) insert(entry.path, relative);
      kept.put(place, steps);
      readAhead();
      while (isFull(place)) await changed.next();
    }
  }
  function keepFailure(place: QueuedDirectory, error: unknown): void {
    try {
      if (directories.isFull()) throw error; // the walk cannot go on
      kept.put(place, [toProblemStep(channel, place, error)]);
    } catch (lost) {
      place.failure = lost;
    }
  }

  return {
    async next() {
      readAhead();
      for (let head = directories.head(); head; head = directories.head()) {
        const batch = kept.take(head);
        readAhead();
        if (batch) return batch;
        if (head.failure !== undefined) throw head.failure;
        if (head.state === 'read') directories.advance();
        else await changed.next();
      }
      return undefined;
    },
  };
}

const always = () => true;

function isFull({ buffered, buffered_length }: QueuedDirectory): boolean {
  return buffered > MAX_STEPS_OF_ONE || buffered_length > MAX_LENGTH_OF_ONE;
}

/** Steps that were read and not yet consumed. */
function createStepBuffer(changed: ChangeSignal) {
  let [kept, kept_length] = [0, 0];
  function count(place: QueuedDirectory, { steps, length }: Batch, sign: 1 | -1): void {
    place.buffered += sign * steps.length;
    place.buffered_length += sign * length;
    kept += sign * steps.length;
    kept_length += sign * length;
    changed.notify();
  }
  return {
    isFull: () => kept >= MAX_STEPS_KEPT || kept_length >= MAX_LENGTH_KEPT,
    put(place: QueuedDirectory, steps: Step[]): void {
      const batch = { steps, length: steps.reduce((sum, step) => sum + lengthOf(step), 0) };
      place.batches.push(batch);
      count(place, batch, 1);
    },
    take(place: QueuedDirectory): Step[] | undefined {
      const batch = place.batches.shift();
      if (batch) count(place, batch, -1);
      return batch?.steps;
    },
  };
}

function lengthOf({ relative, entry: { name, path } }: Step): number {
  return relative.length + name.length + path.length;
}

function isOpenable({ is_directory, addressable }: Step['entry']): boolean {
  return is_directory && addressable;
}

function below(relative: string, name: string): string {
  return relative === '' ? name : `${relative}/${name}`;
}

/** `depth` visits a directory with its contents before the next one, `breadth` level by level. */
export type WalkOrder = 'depth' | 'breadth';

/** A directory that waits to be read or delivered. */
export interface QueuedDirectory {
  readonly path: string;
  readonly relative: string;
  next: QueuedDirectory | undefined;
  state: 'waiting' | 'reading' | 'read';
  /** Read and not yet consumed. */
  readonly batches: Batch[];
  buffered: number;
  buffered_length: number;
  failure?: unknown;
}

interface Batch {
  readonly steps: Step[];
  readonly length: number;
}

/** Directories in walk order, as a linked list. */
export interface DirectoryQueue {
  head(): QueuedDirectory | undefined;
  /** True after an insertion that found no room. */
  isFull(): boolean;
  /** Drops the first directory. */
  advance(): void;
  /** Inserts subdirectories after their parent (depth) or at the end (breadth). */
  inserter(found_in: QueuedDirectory): (path: string, relative: string) => void;
}

export function createDirectoryQueue(root: string, order: WalkOrder): DirectoryQueue {
  let head: QueuedDirectory | undefined = queuedDirectory(root, '');
  let last = head;
  let length = queuedLength(head);
  function insert(place: QueuedDirectory, before: QueuedDirectory): void {
    place.next = before.next;
    before.next = place;
    if (before === last) last = place;
  }
  return {
    head: () => head,
    isFull: () => length > MAX_LENGTH_QUEUED,
    advance() {
      if (head) length -= queuedLength(head);
      head = head?.next;
    },
    inserter(found_in) {
      let latest = found_in;
      return (path, relative) => {
        const place = queuedDirectory(path, relative);
        length += queuedLength(place);
        if (length > MAX_LENGTH_QUEUED)
          throw new Fault('sftp_failed', 'The directory has too many subdirectories');
        insert(place, order === 'depth' ? latest : last);
        latest = place;
      };
    },
  };
}

function queuedDirectory(path: string, relative: string): QueuedDirectory {
  return { path, relative, next: undefined, state: 'waiting', batches: [], buffered: 0, buffered_length: 0 };
}

function queuedLength({ path, relative }: QueuedDirectory): number {
  return QUEUED_LENGTH + path.length + relative.length;
}

export interface ChangeSignal {
  /** Wakes everyone who waits. */
  notify(): void;
  /** Resolves at the next change; rejects when the signal aborts. */
  next(): Promise<void>;
}

interface Waiting {
  readonly wake: () => void;
  readonly fail: (reason: unknown) => void;
}

/** Like a condition variable: every change wakes all waiters, which check their condition again. */
export function createChangeSignal(signal: AbortSignal): ChangeSignal {
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
    notify() {
      for (const { wake } of takeAll()) wake();
    },
    next: () =>
      new Promise((wake, fail) => {
        if (signal.aborted) fail(signal.reason);
        else waiting.push({ wake, fail });
      }),
  };
}
