import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import { isFull } from './driver-errors.ts';
import type { Reserve } from './reserve.ts';

const BALLAST_BYTES = 16 * 1024 * 1024; // more than the write-ahead log, which must fit into the database file
const PIECE_BYTES = 256 * 1024;
const PIECES = 16;
const ROOM_BYTES = 2 * BALLAST_BYTES; // free on the disk before a reserve is kept
const ENOUGH_BYTES = 4 * BALLAST_BYTES; // free on the disk before the reserve is filled again

/**
 * Keeps space for the time when the disk is full, so that rows can still be changed and deleted. A file beside the database
 * is deleted first, which lets SQLite empty its write-ahead log. Free pages in the database then take what is written, even
 * if something else fills the disk again.
 */
export function createSqliteReserve(client: Database.Database, path: string): Reserve {
  const ballast = `${path}-reserve`;
  let is_full = false;

  /** Again at each full disk: another process may have kept a new reserve, or have been writing. */
  function release(): void {
    is_full = true;
    try {
      rmSync(ballast, { force: true });
      if (hasTable(client)) client.prepare('delete from disk_reserve').run();
      client.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // The caller reports the write that failed, and the next one that fails frees the rest.
    }
  }

  async function fill(): Promise<void> {
    if (sizeOf(ballast) < BALLAST_BYTES) await writeBallast(ballast);
    client.exec('create table if not exists disk_reserve (space blob not null)');
    const kept = Number(client.prepare('select count(*) from disk_reserve').pluck().get());
    const keep = client.prepare(`insert into disk_reserve values (randomblob(${PIECE_BYTES}))`);
    for (let piece = kept; piece < PIECES; piece += 1) {
      keep.run();
      await nextTurn();
    }
  }

  return {
    isFull: () => is_full,
    release,

    async fill() {
      const is_missing = is_full || sizeOf(ballast) < BALLAST_BYTES;
      if (is_missing && (await freeBytes(path)) < (is_full ? ENOUGH_BYTES : ROOM_BYTES)) {
        is_full ||= hasTable(client); // freed before this start, or by another process
        return;
      }
      try {
        await fill();
        is_full = false;
      } catch (error) {
        if (!isFull(error)) throw error;
        release();
      }
    },
  };
}

function hasTable(client: Database.Database): boolean {
  return client.prepare("select 1 from sqlite_master where name = 'disk_reserve'").get() !== undefined;
}

/** In pieces, because a large write holds the event loop. */
async function writeBallast(path: string): Promise<void> {
  const piece = randomBytes(PIECE_BYTES); // a file system could compress zeros
  const file = openSync(path, 'w', 0o600);
  try {
    for (let written = 0; written < BALLAST_BYTES; written += PIECE_BYTES) {
      writeSync(file, piece);
      await nextTurn();
    }
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
