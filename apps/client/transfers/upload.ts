import type { GatewayClient } from '../client.ts';
import { ClientError } from '../client-error.ts';
import { delayAfter, pause } from '../retries.ts';
import { isPassing } from './passing.ts';
import { sendFile, type UploadPlan, type UploadWatch } from './tus-upload.ts';

const MOST_FAILURES = 8; // in a row, without progress
const GONE: ReadonlySet<number> = new Set([404, 410]); // expired or removed

interface Upload {
  readonly plan: UploadPlan;
  readonly watch?: Partial<UploadWatch>;
}

/** Sends one file, and resumes it after failures that pass. An upload that the gateway no longer knows begins anew. */
export async function uploadFile(
  client: GatewayClient,
  file: Blob,
  { plan, watch = {} }: Upload,
): Promise<void> {
  const { signal = new AbortController().signal, onProgress, onBegun } = watch;
  let { upload_id } = plan;
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
      onBegun?.(id);
    },
  };
  /** Returns when another attempt makes sense. */
  async function recover(failure: ClientError): Promise<void> {
    const is_gone = upload_id !== undefined && GONE.has(failure.status);
    if (is_gone) upload_id = undefined;
    if (!(is_gone || isPassing(failure)) || failures >= MOST_FAILURES) throw failure;
    failures += 1;
    if (is_gone) return;
    await pause(Math.max((failure.retry_after ?? 0) * 1000, delayAfter(failures - 1)), signal);
  }

  for (;;) {
    try {
      return await sendFile(client, file, { plan: { ...plan, upload_id }, watch: each });
    } catch (failure) {
      if (!(failure instanceof ClientError)) throw failure;
      await recover(failure);
    }
  }
}
