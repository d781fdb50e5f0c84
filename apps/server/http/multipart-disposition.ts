import { Fault } from '#core/errors.ts';

// A backslash escapes only a quote: browsers send backslashes unescaped (WHATWG HTML, multipart/form-data encoding).
// The look-ahead keeps a run of spaces from being divided in every way.
const PARAMETER = /\s*;\s*([^\s=;"]+)\s*=\s*(?!\s)(?:"((?:\\"|[^"])*)"|([^\s;"]*))(?=\s*(?:;|$))/y;
const MAX_LENGTH = 16_384;
const EXTENDED = /^utf-8'[\w-]*'(.*)$/is; // RFC 8187

/**
 * The unchecked file name in the Content-Disposition of a part (RFC 7578 §4.2); undefined for a plain field. `header`
 * has one character per byte.
 */
export function fileNameOf(header: string): string | undefined {
  if (header.length > MAX_LENGTH) throw new Fault('bad_multipart');
  const parameters = parametersOf(header);
  const extended = parameters.get('filename*')?.text;
  if (extended !== undefined) return decodeExtended(extended);
  const plain = parameters.get('filename');
  if (!plain) return undefined;
  const text = toText(Buffer.from(plain.text, 'latin1'));
  return plain.is_quoted ? unescapeQuoted(text) : text;
}

interface Parameter {
  readonly text: string;
  readonly is_quoted: boolean;
}

function parametersOf(header: string): Map<string, Parameter> {
  const type = /^\s*form-data\s*(?=;|$)/i.exec(header);
  if (!type) throw new Fault('bad_multipart');
  const found = new Map<string, Parameter>();
  let at = type[0].length;
  while (!/^[\s;]*$/.test(header.slice(at))) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(header);
    if (!match) throw new Fault('bad_multipart');
    const [, name = '', quoted, token = ''] = match;
    found.set(name.toLowerCase(), { text: quoted ?? token, is_quoted: quoted !== undefined });
    at = PARAMETER.lastIndex;
  }
  return found;
}

/** Browsers encode only quotes and line breaks, as `%22`, `%0D` and `%0A`; other clients use backslashes. */
function unescapeQuoted(text: string): string {
  return text
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(22|0d|0a)/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function decodeExtended(value: string): string {
  const coded = EXTENDED.exec(value)?.[1];
  if (coded === undefined) throw new Fault('bad_multipart');
  const bytes = coded.replace(/%([0-9a-f]{2})/gi, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return toText(Buffer.from(bytes, 'latin1'));
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Fault('unaddressable_name', undefined, { cause });
  }
}
