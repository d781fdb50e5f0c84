import mime from 'mime';
import { matchesAny, matchesStrongly } from './etags.ts';

/** Types that the browser may show inline. Anything that could run a script is always an attachment. */
const INLINE =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)$/;

export interface Representation {
  readonly name: string;
  readonly size: number;
  /** ISO 8601, whole seconds. */
  readonly modified: string;
  readonly etag: string;
}

export function mimeType(name: string): string {
  return mime.getType(name) ?? 'application/octet-stream';
}

export function downloadHeaders(file: Representation, inline: boolean): Record<string, string> {
  const type = mimeType(file.name);
  return {
    'Content-Type': type,
    'Content-Disposition': disposition(file.name, inline && INLINE.test(type)),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    ETag: file.etag,
    'Last-Modified': new Date(file.modified).toUTCString(),
  };
}

/** An archive has no length or ETag: it is built while it is sent. */
export function archiveHeaders(name: string): Record<string, string> {
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': disposition(name, false),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'private, no-store',
  };
}

/** RFC 6266: an ASCII name for old clients, and the real one (RFC 8187). */
export function disposition(name: string, inline: boolean): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(wellFormed(name)).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

export type Part =
  | { readonly kind: 'whole' }
  | { readonly kind: 'not_modified' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number };

export interface Conditions {
  readonly range?: string | undefined;
  readonly if_range?: string | undefined;
  readonly if_match?: string | undefined;
  readonly if_none_match?: string | undefined;
  readonly if_modified_since?: string | undefined;
  readonly if_unmodified_since?: string | undefined;
}

/** Which bytes to send (RFC 9110 §13 and §14). A request for several ranges gets the whole file. */
export function selectPart(file: Representation, conditions: Conditions): Part {
  if (hasChanged(file, conditions)) return { kind: 'changed' };
  if (isKnown(file, conditions)) return { kind: 'not_modified' };
  if (conditions.range === undefined || !holds(conditions.if_range, file)) return { kind: 'whole' };
  const match = /^bytes=(\d*)-(\d*)$/i.exec(conditions.range.trim());
  if (!match) return { kind: 'whole' };
  return clamp(match[1] ?? '', match[2] ?? '', file.size);
}

/** RFC 9110 §13.2.2: a date counts only where no ETag is sent. */
function hasChanged(file: Representation, { if_match, if_unmodified_since }: Conditions): boolean {
  if (if_match !== undefined) return !matchesStrongly(if_match, file.etag);
  const date = httpDate(if_unmodified_since);
  return date !== undefined && Date.parse(file.modified) > date;
}

function isKnown(file: Representation, { if_none_match, if_modified_since }: Conditions): boolean {
  if (if_none_match !== undefined) return matchesAny(if_none_match, file.etag);
  const date = httpDate(if_modified_since);
  return date !== undefined && Date.parse(file.modified) <= date;
}

/** RFC 9110 §5.6.7; undefined for what is no date, which is then ignored. */
function httpDate(text = ''): number | undefined {
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

function clamp(first: string, last: string, size: number): Part {
  if (first === '' && last === '') return { kind: 'whole' };
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return { kind: 'whole' };
  return start > end ? { kind: 'unsatisfiable' } : { kind: 'part', start, end };
}

function holds(if_range: string | undefined, file: Representation): boolean {
  if (if_range === undefined) return true;
  return if_range === file.etag || Date.parse(if_range) === Date.parse(file.modified);
}

/** A remote name may contain a lone surrogate, on which `encodeURIComponent` throws. */
function wellFormed(name: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(name));
}
