// @ts-check
import { createHash } from 'node:crypto';
import {
  close,
  closeSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { hashOf } from './digest.mjs';
import { createLines, fittingLength, noteLine } from './lines.mjs';
import { createWholeCharacters } from './whole-characters.mjs';

/**
 * @typedef {import('./verbs.ts').CastState} CastState
 * @typedef {import('./verbs.ts').CastEvent} CastEvent
 * @typedef {import('./lines.mjs').CastLine} CastLine
 * @typedef {import('#core/ports/casts.ts').CastStop} CastStop
 */

const SYNC_MS = 5_000; // a slower disk still writes the data eventually
const LONG_MS = 1e12; // the longest time stamp a note may have
const FULL_DISK = 'the disk is full';
const FULL_SPOOL = 'Recordings that wait for the store fill the spool';
const LINES = createLines(); // shared, since casts are written one after another

/**
 * Creates the file; throws system errors.
 * @param {import('./verbs.ts').WritingVerbs['open']['request']} order
 */
export function openCastFile({ file, header, max_bytes = Number.POSITIVE_INFINITY }) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fd = openSync(file, 'ax', 0o600); // append mode, so that writes continue at the end after a truncation
  const cast = new CastFile(fd, max_bytes);
  const state = cast.begin(Buffer.from(`${JSON.stringify(header)}\n`));
  if (state.stopped === undefined) return cast;
  rmSync(file, { force: true });
  throw new Error(`The header cannot be written: ${state.reason ?? state.stopped}`);
}

/**
 * Continues a file of another process; throws system errors.
 * @param {import('./verbs.ts').WritingVerbs['reopen']['request']} order
 */
export async function reopenCastFile({ file, size_bytes, max_bytes = Number.POSITIVE_INFINITY }) {
  const found = await hashOf(file, size_bytes);
  if (found.size_bytes < size_bytes) throw new Error(`The file is shorter than ${size_bytes} bytes`);
  truncateSync(file, size_bytes);
  const cast = new CastFile(openSync(file, 'a'), max_bytes);
  cast.continue(found);
  return cast;
}

/** The file of one recording; it only ever ends with a whole line. */
class CastFile {
  #fd;
  #max_bytes;
  #limit_note;
  /** Reserved for the note. */
  #reserve = 0;
  #hash = createHash('sha256');
  #size = 0;
  #at_ms = 0;
  /** @type {CastStop | undefined} */
  #stopped;
  /** @type {string | undefined} */
  #reason;
  #characters = createWholeCharacters();

  /**
   * @param {number} fd
   * @param {number} max_bytes
   */
  constructor(fd, max_bytes) {
    this.#fd = fd;
    this.#max_bytes = max_bytes;
    this.#limit_note = `its limit of ${max_bytes} bytes is reached`;
  }

  /** @param {Buffer} header */
  begin(header) {
    const note_bytes = noteLine(LONG_MS, this.#limit_note).length;
    if (header.length > this.#max_bytes) this.#max_bytes = 0;
    else this.#append(header, [{ end: header.length, at_ms: 0, text: undefined }]);
    if (header.length + note_bytes <= this.#max_bytes) this.#reserve = note_bytes;
    if (this.#stopped) closeSync(this.#fd);
    return this.state();
  }

  /** @param {Awaited<ReturnType<typeof hashOf>>} found */
  continue({ hash, size_bytes, duration_s }) {
    this.#hash = hash;
    this.#size = size_bytes;
    this.#at_ms = duration_s * 1000;
    const note_bytes = noteLine(LONG_MS, this.#limit_note).length;
    if (size_bytes + note_bytes <= this.#max_bytes) this.#reserve = note_bytes;
  }

  /** @returns {CastState} */
  state() {
    const sha256 = this.#hash.copy().digest('hex');
    return {
      end: { size_bytes: this.#size, duration_s: this.#at_ms / 1000, sha256 },
      stopped: this.#stopped,
      held_bytes: this.#characters.held_bytes(),
      reason: this.#reason,
    };
  }

  /**
   * @param {readonly CastEvent[]} events
   * @param {Uint8Array} bytes
   */
  write(events, bytes) {
    let at = 0;
    for (const { at_ms, size, bytes: length } of events) {
      if (size) LINES.resize(at_ms, size);
      else this.#output(at_ms, this.#characters.take(bytes.subarray(at, at + length)));
      at += length ?? 0;
    }
    this.#flush();
    if (this.#stopped) void this.#shut(); // not awaited: the disk may be slow
    return this.state();
  }

  /** @returns {CastState} */
  endFull() {
    this.#appendNote(noteLine(this.#at_ms, FULL_DISK));
    this.#stop(Object.assign(new Error(FULL_SPOOL), { code: 'EDQUOT' }));
    void this.#shut();
    return this.state();
  }

  abandon() {
    closeSync(this.#fd);
  }

  async close() {
    this.#output(this.#at_ms, this.#characters.rest());
    this.#flush();
    await this.#shut();
    return this.state();
  }

  /**
   * @param {number} at_ms
   * @param {Uint8Array} text
   */
  #output(at_ms, text) {
    if (text.length > 0) LINES.output(at_ms, text);
  }

  #flush() {
    const { bytes, lines } = LINES.take();
    const room = this.#max_bytes - this.#reserve - this.#size;
    const beyond = bytes.length <= room ? undefined : lines.find(({ end }) => end > room);
    if (!beyond) return this.#append(bytes, lines);
    const kept = lines.slice(0, lines.indexOf(beyond));
    const end = kept.at(-1)?.end ?? 0;
    this.#append(bytes.subarray(0, end), kept);
    if (!this.#stopped) this.#endAtLimit(beyond, room - end);
  }

  /**
   * Writes as much of the overlong line as fits, then the note.
   * @param {CastLine} line
   * @param {number} room
   */
  #endAtLimit({ at_ms, text }, room) {
    const length = text ? fittingLength(at_ms, text, room) : 0;
    if (text && length > 0) {
      LINES.output(at_ms, text.slice(0, length));
      const { bytes, lines } = LINES.take();
      this.#append(bytes, lines);
    }
    const note = noteLine(at_ms, this.#limit_note);
    if (!this.#stopped && this.#size + note.length <= this.#max_bytes)
      this.#append(note, [{ end: note.length, at_ms, text: undefined }]);
    this.#stopped ??= 'limit';
  }

  /**
   * @param {Buffer} bytes
   * @param {CastLine[]} lines
   */
  #append(bytes, lines) {
    const { done, error } = writeAll(this.#fd, bytes);
    if (!error) return this.#wrote(bytes, lines);
    const is_full = isFull(error);
    const note = is_full ? noteLine(LONG_MS, FULL_DISK) : Buffer.alloc(0);
    // The last line is dropped to make room for the note: its disk space is ours already.
    const fit = lines.filter(({ end }) => end <= done);
    const kept = fit.some(({ end }) => end <= done - note.length)
      ? fit.filter(({ end }) => end <= done - note.length)
      : fit;
    this.#wrote(bytes.subarray(0, kept.at(-1)?.end ?? 0), kept);
    this.#cutBack();
    if (is_full && this.#size > 0) this.#appendNote(noteLine(this.#at_ms, FULL_DISK));
    this.#stop(error);
  }

  /** @param {unknown} error */
  #stop(error) {
    this.#stopped ??= isFull(error) ? 'disk_full' : 'failed';
    this.#reason ??= error instanceof Error ? error.message : String(error);
  }

  /** @param {Buffer} note */
  #appendNote(note) {
    if (this.#size + note.length > this.#max_bytes) return;
    if (writeAll(this.#fd, note).error) this.#cutBack();
    else this.#wrote(note, [{ end: note.length, at_ms: this.#at_ms, text: undefined }]);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {CastLine[]} lines
   */
  #wrote(bytes, lines) {
    this.#hash.update(bytes);
    this.#size += bytes.length;
    this.#at_ms = lines.at(-1)?.at_ms ?? this.#at_ms;
  }

  #cutBack() {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      this.#stopped = 'failed'; // an incomplete line remains at the end of the file
    }
  }

  async #shut() {
    const shut = promisify(fsync)(this.#fd)
      .finally(() => promisify(close)(this.#fd))
      .catch((error) => this.#stop(error));
    await waitAtMost(SYNC_MS, shut);
  }
}

/**
 * @param {number} fd
 * @param {Uint8Array} bytes
 */
function writeAll(fd, bytes) {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done);
    return { done };
  } catch (error) {
    return { done, error };
  }
}

/** @param {unknown} error */
function isFull(error) {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/**
 * @param {number} most_ms
 * @param {Promise<void>} work
 */
async function waitAtMost(most_ms, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const overdue = new Promise((resolve) => {
    timer = setTimeout(resolve, most_ms);
  });
  await Promise.race([work, overdue]);
  clearTimeout(timer);
}
