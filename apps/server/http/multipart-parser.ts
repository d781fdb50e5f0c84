import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { Fault } from '#core/errors.ts';
import { fileNameOf } from './multipart-disposition.ts';

const MAX_FILES = 1000;
const MAX_FIELD_BYTES = 1024 * 1024; // of all plain fields together
const OPTIONS = {
  maxHeaderPairs: 50, // per part
  // Never reached. Dicer holds a write back when a part's buffer is full, and forgets it if the part also ends in that write.
  partHwm: Number.MAX_SAFE_INTEGER,
};

export interface FoundFile {
  readonly name: string;
  /** Not consumed yet. */
  readonly pieces: Uint8Array[];
  is_whole: boolean;
}

export interface MultipartParser {
  /** Files whose part has begun and that are not consumed yet, in order. */
  readonly files: FoundFile[];
  /** True after the closing boundary. */
  isOver(): boolean;
  throwIfBad(): void;
  /** Resolves when the bytes are parsed. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

type Fail = (cause: unknown) => void;

export function createMultipartParser(boundary: string): MultipartParser {
  const dicer = new Dicer({ boundary, ...OPTIONS });
  let failure: Fault | undefined;
  let is_closed = false;
  let open_parts = 0;
  const fail: Fail = (cause) => {
    failure ??= cause instanceof Fault ? cause : new Fault('bad_multipart', undefined, { cause });
  };
  const intake = createIntake(fail, () => failure !== undefined);
  dicer.on('part', (part) => {
    open_parts += 1;
    part.once('end', () => {
      open_parts -= 1;
    });
    intake.receive(part);
  });
  dicer.on('error', fail);
  dicer.on('finish', () => {
    is_closed = true;
  });
  return {
    files: intake.files,
    isOver: () => is_closed && open_parts === 0 && !failure,
    throwIfBad() {
      if (failure) throw failure;
    },
    async write(bytes) {
      if (is_closed) await settled();
      else await new Promise<void>((resolve) => dicer.write(bytes, () => process.nextTick(resolve)));
    },
    async end() {
      if (!dicer.writableEnded) dicer.end();
      await settled();
      if (!is_closed) fail('The body ended early');
    },
  };
}

/** Streams report their end, and the parser its failure, some ticks later. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Intake {
  readonly files: FoundFile[];
  receive(part: Readable): void;
}

function createIntake(fail: Fail, hasFailed: () => boolean): Intake {
  const files: FoundFile[] = [];
  let count = 0;
  let field_bytes = 0;

  function beginFile(part: Readable, name: string): void {
    count += 1;
    if (count > MAX_FILES) throw tooMuch('1,000 files');
    const file: FoundFile = { name, pieces: [], is_whole: false };
    files.push(file);
    part.on('data', (bytes: Uint8Array) => file.pieces.push(bytes));
    part.once('end', () => {
      file.is_whole = !hasFailed(); // an incomplete part also ends, after its error
    });
  }
  function skipField(part: Readable): void {
    part.on('data', (bytes: Uint8Array) => {
      field_bytes += bytes.length;
      if (field_bytes > MAX_FIELD_BYTES) fail(tooMuch('1 MiB of fields'));
    });
  }
  function begin(part: Readable, header: object): void {
    try {
      const name = fileNameOf(dispositionOf(header));
      if (name === undefined) skipField(part);
      else beginFile(part, name);
    } catch (error) {
      fail(error);
    }
  }
  return {
    files,
    receive(part) {
      let has_header = false;
      part.once('header', (header: object) => {
        has_header = true;
        begin(part, header);
      });
      part.once('end', () => {
        if (!has_header) fail('A part has no header');
      });
      part.on('error', fail);
      part.resume();
    },
  };
}

/** The parser gives lists of values with one character per byte. */
function dispositionOf(header: object): string {
  const values: unknown = Object.entries(header).find(([name]) => name === 'content-disposition')?.[1];
  const first: unknown = Array.isArray(values) ? values[0] : undefined;
  if (typeof first !== 'string') throw new Fault('bad_multipart');
  return first;
}

function tooMuch(what: string): Fault {
  return new Fault('bad_multipart', `More than ${what} in one request`);
}
