import type { GatewayClient } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';
import type { FilePlace } from '../../files/viewer/link.ts';

export const PART_BYTES = 1024 * 1024;

export interface FilePart {
  readonly bytes: Uint8Array;
  /** Position of the first byte. */
  readonly offset: number;
  /** Size of the whole file. */
  readonly size: number;
}

export type Wanted = { readonly from: number } | 'last';

/** Reads at most a megabyte of a file; undefined when the file is empty or ends before that. */
export async function readPart(
  client: GatewayClient,
  { server_id, path }: FilePlace,
  { wanted, signal }: { readonly wanted: Wanted; readonly signal: AbortSignal },
): Promise<FilePart | undefined> {
  const range = wanted === 'last' ? `-${PART_BYTES}` : `${wanted.from}-${wanted.from + PART_BYTES - 1}`;
  try {
    const { data, response } = await client.http.GET('/api/files/{server_id}/download', {
      params: { path: { server_id }, query: { path } },
      headers: { range: `bytes=${range}` },
      parseAs: 'arrayBuffer',
      signal,
    });
    const bytes = new Uint8Array(data instanceof ArrayBuffer ? data : new ArrayBuffer(0));
    return { bytes, ...placeOf(response.headers.get('content-range'), bytes.length) };
  } catch (error) {
    if (error instanceof ClientError && error.status === 416) return undefined;
    throw error;
  }
}

/** A proxy may have removed the range: then it is the whole file. */
function placeOf(content_range: string | null, length: number): Omit<FilePart, 'bytes'> {
  const [, offset = '0', size = String(length)] = /^bytes (\d+)-\d+\/(\d+)$/.exec(content_range ?? '') ?? [];
  return { offset: Number(offset), size: Number(size) };
}
