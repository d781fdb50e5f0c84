import { rm, stat } from 'node:fs/promises';
import { Fault } from '#core/errors.ts';
import { createSlots } from '#core/lib/concurrency/limiter.ts';
import type { CastEnd, CastStore } from '#core/ports/casts.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { CastUpload, PART_BYTES } from './cast-upload.ts';
import type { ObjectStore } from './object-store.ts';
import { createSpool, type Spool } from './spool.ts';
import { isUnknownUpload } from './store-fault.ts';

const PARTS_AT_ONCE = 4; // in memory

export interface SpooledStoreOptions {
  readonly objects: ObjectStore;
  readonly spool_max_bytes: number;
  /** Smaller in tests. */
  readonly part_bytes?: number;
}

interface Deps extends SpooledStoreOptions {
  readonly dir: string;
  readonly clock: Pick<Clock, 'after'>;
  /** Absolute path in the directory. */
  fileOf(path: string): string;
  /** Reads from a file or a signed URL, one byte more than `most_bytes` at most. */
  digest(place: string, most_bytes?: number): Promise<CastEnd>;
}

/** A cast that is being written. */
export interface SpooledCast {
  hasRoom(bytes: number): boolean;
  /** The file has this size now. */
  grow(size: number): void;
  closed(): void;
}

export interface SpooledStore extends CastStore {
  readonly objects: ObjectStore;
  /** Throws when the spool is full. */
  begin(path: string): SpooledCast;
  remove(path: string): Promise<void>;
  stop(): void;
}

/** Moves casts from the directory into the store: in parts while they are written, and the rest when they are over. */
export function createSpooledStore(deps: Deps): SpooledStore {
  const { objects, dir, clock, spool_max_bytes, part_bytes = PART_BYTES, fileOf, digest } = deps;
  const spool = createSpool(dir, spool_max_bytes || Number.POSITIVE_INFINITY);
  const upload_deps = {
    store: objects,
    clock,
    acquirePart: createSlots({ concurrency: PARTS_AT_ONCE }),
    part_bytes,
  };
  const uploads = new Map<string, CastUpload>();
  const being_written = new Set<string>();

  function uploadOf(path: string): CastUpload {
    const known = uploads.get(path);
    if (known) return known;
    const upload = new CastUpload(upload_deps, { key: path, file: fileOf(path) });
    uploads.set(path, upload);
    return upload;
  }

  const isStored = async (path: string, { sha256, size_bytes }: CastEnd): Promise<boolean> => {
    if ((await orMissing(objects.size(path))) !== size_bytes) return false;
    return (await digest(await objects.url(path), size_bytes)).sha256 === sha256;
  };

  async function upload(path: string, end: CastEnd, signal: AbortSignal): Promise<void> {
    if (!uploads.has(path) && (await isStored(path, end))) return; // by an earlier process
    try {
      await uploadOf(path).finish(end.size_bytes, signal);
    } catch (error) {
      if (isUnknownUpload(error)) uploads.delete(path); // begun again, unless it turns out to be stored
      throw error;
    }
    uploads.delete(path);
    if (!(await isStored(path, end)))
      throw new Fault('recording_store_refused', 'The store has other content');
  }

  return {
    id: objects.id,
    objects,

    async check() {
      await spool.measure();
      await objects.check();
    },

    begin(path) {
      if (spool.isFull() || !spool.hasRoom(1)) throw new Error('The spool of recordings is full');
      being_written.add(path);
      return toSpooledCast(spool, uploadOf(path), () => being_written.delete(path));
    },

    async take(path, signal) {
      if (being_written.has(path)) return 'busy';
      const file = fileOf(path);
      const end = await orMissing(digest(file));
      if (!end) return (await orMissing(objects.size(path))) === undefined ? 'missing' : 'stored';
      await upload(path, end, signal);
      if ((await stat(file)).size !== end.size_bytes) return 'busy'; // another instance still writes it
      await rm(file);
      spool.grow(-end.size_bytes);
      return 'stored';
    },

    async remove(path) {
      uploads.get(path)?.cancel();
      uploads.delete(path);
      await objects.abandon(path);
      await objects.remove(path);
    },

    stop() {
      for (const one of uploads.values()) one.cancel();
    },
  };
}

function toSpooledCast(spool: Spool, upload: CastUpload, closed: () => void): SpooledCast {
  let known_size = 0;
  return {
    hasRoom: (bytes) => spool.hasRoom(bytes),
    grow(size) {
      spool.grow(size - known_size);
      known_size = size;
      upload.grow(size);
    },
    closed,
  };
}

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault && error.code === 'recording_file_missing') return undefined;
    throw error;
  }
}
