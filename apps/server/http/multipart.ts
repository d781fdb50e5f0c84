import type { MultipartFile } from '#api/http/env.ts';
import { Fault } from '#core/errors.ts';
import type { ByteSource } from '#core/ports/files.ts';
import { createMultipartParser, type FoundFile, type MultipartParser } from './multipart-parser.ts';

/**
 * The files of multipart/form-data (RFC 7578), one after the other as they arrive. Reads on demand, and skips the unread
 * rest of a file when the next one is requested. Throws `bad_multipart` unless the body is complete.
 */
export async function* readMultipart(
  source: ByteSource,
  content_type: string | undefined,
): AsyncGenerator<MultipartFile, undefined> {
  const parser = createMultipartParser(boundaryOf(content_type));
  const bytes = source[Symbol.asyncIterator]();
  const more = () => feed(parser, bytes);
  let has_files = false;
  try {
    for (;;) {
      while (parser.files.length === 0 && !parser.isOver()) await more();
      const file = parser.files.shift();
      if (!file) break;
      has_files = true;
      yield { name: file.name, content: contentOf(file, more) };
      for await (const _rest of contentOf(file, more));
    }
    if (!has_files) throw new Fault('bad_multipart');
  } finally {
    await bytes.return?.();
  }
}

const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i; // RFC 2046 §5.1.1

function boundaryOf(content_type = ''): string {
  const [, quoted, token] = BOUNDARY.exec(content_type) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw new Fault('bad_multipart');
  return boundary;
}

async function* contentOf(file: FoundFile, more: () => Promise<void>): AsyncGenerator<Uint8Array, undefined> {
  for (;;) {
    const piece = file.pieces.shift();
    if (piece) yield piece;
    else if (file.is_whole) return;
    else await more();
  }
}

async function feed(parser: MultipartParser, bytes: AsyncIterator<Uint8Array>): Promise<void> {
  parser.throwIfBad();
  const { done, value } = await nextChunk(bytes);
  if (done) await parser.end();
  else await parser.write(value);
}

async function nextChunk(bytes: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await bytes.next();
  } catch (cause) {
    const is_late = cause instanceof Fault && cause.code === 'body_timeout';
    throw is_late ? cause : new Fault('bad_multipart', undefined, { cause });
  }
}
