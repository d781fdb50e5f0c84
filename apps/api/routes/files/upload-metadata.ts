import { Fault } from '#core/errors.ts';
import { fromBase64 } from '#core/lib/bytes.ts';

/** The value of each key in `Upload-Metadata`, still in base64; empty for one without a value. */
export function metadataOf(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(',').map((pair): [string, string] => {
    const [, key = '', value = ''] =
      /^([\x21-\x7e]+)(?: ([A-Za-z0-9+/=]*))?$/.exec(pair.trim()) ??
      refuseMetadata('pairs of key and base64');
    return [key, value];
  });
  const values = new Map(pairs);
  if (values.size < pairs.length) refuseMetadata('no key twice');
  return values;
}

export function textOf(metadata: ReadonlyMap<string, string>, key: string): string | undefined {
  const coded = metadata.get(key);
  if (coded === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(coded));
  } catch {
    return refuseMetadata(`${key} in base64 of UTF-8`);
  }
}

export function refuseMetadata(wanted: string): never {
  const errors = [{ path: 'upload-metadata', message: `Expected ${wanted}` }];
  throw new Fault('validation', `Upload-Metadata: Expected ${wanted}`, { errors });
}
