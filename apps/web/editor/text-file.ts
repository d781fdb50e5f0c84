import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';
import type { FilePlace } from '../files/viewer/link.ts';

export type TextFile = Schemas['TextFile'];

/** The precondition of a save: the version that was read, no existing file, or none. */
export type Basis =
  | { readonly kind: 'etag'; readonly etag: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'any' };

export type Outcome =
  | {
      readonly kind: 'saved';
      readonly etag: string;
      /** The host has removed set-ID bits. */
      readonly has_lost_mode?: boolean;
      /** Somebody else has put the same text there. */
      readonly is_locked?: boolean;
    }
  | { readonly kind: 'changed'; readonly theirs: TextFile }
  /** It was changed into something that is no text, or is too long for one. */
  | { readonly kind: 'replaced'; readonly error: ClientError }
  | { readonly kind: 'gone' };

export function readText(
  client: GatewayClient,
  { server_id, path }: FilePlace,
  signal?: AbortSignal,
): Promise<TextFile> {
  const params = { path: { server_id }, query: { path } };
  return take(client.http.GET('/api/files/{server_id}/read', { params, ...(signal ? { signal } : {}) }));
}

export function isMissing(error: unknown): boolean {
  return isRefused(error, ['file_not_found']);
}

/** The account may not write the file. On a read-only file system nobody may, which the refusal itself says. */
export function isWriteRefused(error: unknown): boolean {
  return isRefused(error, ['permission_denied']);
}

/** Saves, or returns the obstacle. Throws errors unrelated to the text. */
export async function saveText(
  client: GatewayClient,
  place: FilePlace,
  text: { readonly content: string; readonly basis: Basis },
): Promise<Outcome> {
  const { server_id, path } = place;
  const { content, basis } = text;
  try {
    const params = { path: { server_id }, header: conditionOf(basis) };
    const body = { path, content };
    const saved = await take(client.http.PUT('/api/files/{server_id}/write', { params, body }));
    const { etag, is_mode_kept } = saved;
    return is_mode_kept === false ? { kind: 'saved', etag, has_lost_mode: true } : { kind: 'saved', etag };
  } catch (error) {
    if (!isRefused(error, ['stale_etag'])) throw error;
    return lookAgain(client, place, content);
  }
}

function conditionOf(basis: Basis): { 'if-match'?: string; 'if-none-match'?: string } {
  if (basis.kind === 'etag') return { 'if-match': basis.etag };
  return basis.kind === 'absent' ? { 'if-none-match': '*' } : {};
}

async function lookAgain(client: GatewayClient, place: FilePlace, content: string): Promise<Outcome> {
  try {
    const theirs = await readText(client, place);
    // A save whose response was lost has still been done.
    if (theirs.content !== content) return { kind: 'changed', theirs };
    const locked = theirs.is_writable === false ? { is_locked: true } : {};
    return { kind: 'saved', etag: theirs.etag, ...locked };
  } catch (error) {
    if (isMissing(error)) return { kind: 'gone' };
    if (isRefused(error, ['not_text', 'file_too_large', 'not_a_file'])) return { kind: 'replaced', error };
    throw error;
  }
}

function isRefused(error: unknown, codes: readonly string[]): error is ClientError {
  return error instanceof ClientError && codes.includes(error.code);
}
