import { Fault } from '#core/errors.ts';
import { describeOtherFormat } from './other-formats.ts';

/** A pasted key, recognized by its format but not parsed yet. */
export interface KeyText {
  readonly kind: 'openssh' | 'pem' | 'putty';
  /** Follows "This is": `an OpenSSH key`. */
  readonly name: string;
  /** Trimmed and with line feeds only; for PEM, just the block with the key. */
  readonly text: string;
}

const PEM_NAMES: Readonly<Record<string, string>> = {
  'OPENSSH PRIVATE KEY': 'an OpenSSH key',
  'RSA PRIVATE KEY': 'a PEM key (PKCS#1 RSA)',
  'EC PRIVATE KEY': 'a PEM key (SEC1 EC)',
  'DSA PRIVATE KEY': 'a PEM key (DSA)',
  'PRIVATE KEY': 'a PEM key (PKCS#8)',
  'ENCRYPTED PRIVATE KEY': 'a PEM key (PKCS#8)',
};

/** Recognizes the format of a private key; for any other text, throws a Fault that says what it is. */
export function recognizeKey(private_key: string): KeyText {
  const text = tidy(private_key);
  const putty = /^PuTTY-User-Key-File-(\d{1,3}):/.exec(text);
  if (putty) return { kind: 'putty', name: `a PuTTY key (version ${putty[1]})`, text };
  const begin = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY)-----/.exec(text);
  if (begin) return pemText(text.slice(begin.index), begin[1] ?? '');
  throw new Fault('unreadable_private_key', describeOtherFormat(text) ?? 'This is not a private key');
}

export function unreadable({ name }: KeyText, what: string, cause?: unknown): Fault {
  return new Fault('unreadable_private_key', `This is ${name}${what}`, { cause });
}

/** The key is intact: the field to correct is its passphrase. */
export function unopened({ name }: KeyText, what: string, message: string, cause?: unknown): Fault {
  const errors = [{ path: 'passphrase', message }];
  return new Fault('unreadable_private_key', `This is ${name}${what}`, { cause, errors });
}

export function damaged(key: KeyText, how = 'it is damaged', cause?: unknown): Fault {
  return unreadable(key, `: ${how}`, cause);
}

// JavaScript counts a byte order mark as white space. Trailing blanks may belong to a PuTTY comment.
function tidy(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^[^\S\n]+/gm, '')
    .trim();
}

function pemText(text: string, label: string): KeyText {
  const name = PEM_NAMES[label];
  if (!name) {
    throw new Fault(
      'unreadable_private_key',
      `This is a key in an unknown format (-----BEGIN ${label}-----)`,
    );
  }
  const key: KeyText = { kind: label.startsWith('OPENSSH') ? 'openssh' : 'pem', name, text };
  const end = text.indexOf(`-----END ${label}-----`);
  if (end < 0) throw damaged(key, 'it is cut off, its END line is missing');
  const [begin, body] = [`-----BEGIN ${label}-----`, text.slice(`-----BEGIN ${label}-----`.length, end)];
  return { ...key, text: `${begin}\n${rewrap(key, body)}\n-----END ${label}-----` };
}

/** Rewraps the base64 to 64 characters a line, after any headers. */
function rewrap(key: KeyText, body: string): string {
  const [, headers = '', base64 = ''] = /^\s*((?:[A-Za-z-]+: [^\n]*\n)*)([\s\S]*)$/.exec(body) ?? [];
  const compact = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw damaged(key);
  const lines = compact.replace(/(.{64})(?=.)/g, '$1\n');
  return headers === '' ? lines : `${headers.replace(/[^\S\n]+$/gm, '')}\n${lines}`;
}

/** The bytes between the BEGIN and END lines, without headers (RFC 1421). */
export function pemBytes({ text }: Pick<KeyText, 'text'>): Buffer {
  const body = text.split('\n').slice(1, -1);
  return Buffer.from(body.filter((line) => !line.includes(':')).join(''), 'base64');
}
