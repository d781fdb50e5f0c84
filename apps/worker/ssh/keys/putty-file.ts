import { damaged, type KeyText, unreadable } from './key-text.ts';

/** The fields of a `.ppk` file (PuTTY manual, appendix C). */
export interface PuttyFile {
  readonly version: 2 | 3;
  readonly kind: string;
  readonly encryption: 'none' | 'aes256-cbc';
  readonly comment: string;
  readonly public_blob: Buffer;
  /** Encrypted, unless `encryption` is `none`. */
  readonly private_blob: Buffer;
  readonly mac: string;
  /** A header line that only some keys have. */
  header(name: string): string;
}

interface Field {
  readonly value: string;
  /** Base64 lines that follow, as after `Private-Lines: 14`. */
  readonly lines: string[];
}

export function readPuttyFile(key: KeyText): PuttyFile {
  const fields = readFields(key);
  const header = (name: string) => field(key, fields, name).value;
  const [, digits = '', kind = ''] =
    /^PuTTY-User-Key-File-(\d+): *([a-z0-9@.-]{1,64})[^\S\n]*$/m.exec(key.text) ?? [];
  const version = Number(digits);
  if (kind === '') throw damaged(key);
  if (version !== 2 && version !== 3) throw unreadable(key, ', and only versions 2 and 3 are supported');
  const encryption = header('Encryption').trim();
  if (encryption !== 'none' && encryption !== 'aes256-cbc') {
    throw damaged(key, 'its encryption is neither none nor aes256-cbc');
  }
  return {
    version,
    kind,
    encryption,
    comment: header('Comment'),
    public_blob: blob(key, fields, 'Public-Lines'),
    private_blob: blob(key, fields, 'Private-Lines'),
    mac: header('Private-MAC').trim().toLowerCase(),
    header: (name) => header(name).trim(),
  };
}

function readFields({ text }: KeyText): Map<string, Field> {
  const fields = new Map<string, Field>();
  let last: Field | undefined;
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^([A-Za-z0-9-]{1,40}):(?: |$)(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      last?.lines.push(...line.split(/\s+/).filter(Boolean));
      continue;
    }
    last = { value, lines: [] };
    fields.set(name, last);
  }
  return fields;
}

function field(key: KeyText, fields: Map<string, Field>, name: string): Field {
  const found = fields.get(name);
  if (!found) throw damaged(key, `it is damaged, its ${name} line is missing`);
  return found;
}

function blob(key: KeyText, fields: Map<string, Field>, name: string): Buffer {
  const { value, lines } = field(key, fields, name);
  const announced = Number(value);
  if (lines.length !== announced) {
    throw damaged(key, `it is damaged, ${lines.length} lines follow where ${name} says ${announced}`);
  }
  return Buffer.from(lines.join(''), 'base64');
}
