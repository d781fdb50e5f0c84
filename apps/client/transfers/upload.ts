import { type GatewayClient, take } from '../client.ts';
import { ClientError } from '../transport/client-error.ts';
import { delayAfter, LONGEST_WAIT_MS, pause } from '../transport/retries.ts';
import { isPassing } from './passing.ts';
import { sendFile, type UploadPlan, type UploadWatch } from './tus-upload.ts';

const GONE: ReadonlySet<number> = new Set([404, 410]); // expired or removed

interface Upload {
  readonly plan: UploadPlan;
  readonly watch?: Partial<UploadWatch>;
}

/**
 * Sends one file, and resumes it after failures that pass. An upload that the gateway no longer knows begins anew, unless
 * its file is in place.
 */
export async function uploadFile(
  client: GatewayClient,
  file: Blob,
  { plan, watch = {} }: Upload,
): Promise<void> {
  const { signal = new AbortController().signal, onProgress, onBegun } = watch;
  let { upload_id } = plan;
  let is_own = false; // it was known during this call
  let sent = 0;
  let failures = 0;
  const each: UploadWatch = {
    signal,
    onProgress(bytes) {
      if (bytes > sent) failures = 0;
      sent = Math.max(sent, bytes);
      onProgress?.(bytes);
    },
    onBegun(id) {
      upload_id = id;
      is_own = true;
      onBegun?.(id);
    },
  };
  const isGone = ({ status }: ClientError) => upload_id !== undefined && GONE.has(status);
  const hasFinished = async () =>
    is_own && !plan.overwrite && (await isInPlace(client, file, { plan, signal }));

  /** Returns when another attempt makes sense. */
  async function recover(failure: ClientError): Promise<void> {
    const is_gone = isGone(failure);
    const most = Math.max(client.transfer_retries, is_gone ? 1 : 0); // beginning again is no repetition
    if (!(is_gone || isPassing(failure)) || failures >= most) throw failure;
    const wait_ms = is_gone ? 0 : Math.max((failure.retry_after ?? 0) * 1000, delayAfter(failures));
    if (wait_ms > LONGEST_WAIT_MS) throw failure;
    failures += 1;
    if (is_gone) upload_id = undefined;
    else await pause(wait_ms, signal);
  }

  for (;;) {
    try {
      return await sendFile(client, file, { plan: { ...plan, upload_id }, watch: each });
    } catch (failure) {
      if (!(failure instanceof ClientError)) throw failure;
      if (isGone(failure) && (await hasFinished())) return;
      await recover(failure);
    }
  }
}

interface Place {
  readonly plan: UploadPlan;
  readonly signal: AbortSignal;
}

/**
 * Whether the file that the upload was begun for has appeared. The gateway forgets a finished upload after ten minutes;
 * when it was begun, there was no such file, because nothing is overwritten.
 */
async function isInPlace(client: GatewayClient, file: Blob, { plan, signal }: Place): Promise<boolean> {
  const { server_id, directory, filename } = plan;
  const name = directory.startsWith('bytes:') ? encodeURIComponent(filename) : filename;
  const params = { path: { server_id }, query: { path: `${directory.replace(/\/$/, '')}/${name}` } };
  try {
    const entry = await take(client.http.GET('/api/files/{server_id}/stat', { params, signal }));
    return !entry.is_dir && entry.size === file.size;
  } catch {
    signal.throwIfAborted();
    return false; // beginning anew tells why
  }
}
