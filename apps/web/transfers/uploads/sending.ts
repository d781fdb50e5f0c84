import { type GatewayClient, take } from '#client/client.ts';
import { ClientError, networkError } from '#client/transport/client-error.ts';
import { joinPath } from '../../lib/paths.ts';
import { createUploadAim, type Settled, type UploadAim } from './aim.ts';
import { createPatience } from './patience.ts';
import type { SendingInput, UploadTools } from './upload.ts';

const GONE: ReadonlySet<number> = new Set([404, 410]); // expired or removed elsewhere

export interface Sent {
  readonly outcome: 'sent' | 'skipped';
  /** How the conflict with a file of this name was settled, if there was one. */
  readonly settled?: Settled | undefined;
  /** The final name, which may differ from the requested one. */
  readonly name: string;
}

/** Uploads one file, retrying transient failures. Aborting keeps the part for another call to resume. */
export async function sendWhole(tools: UploadTools, input: SendingInput, signal: AbortSignal): Promise<Sent> {
  const aim = await createUploadAim(tools, input);
  const attempts = createAttempts(tools, input, { aim, signal });
  for (;;) {
    const failure = await attempts.make();
    const end = failure ? await attempts.recover(failure) : 'sent';
    if (end === 'again') continue;
    await aim.forget();
    const settled = end === 'sent' ? aim.settled() : undefined;
    return { outcome: end, name: aim.plan().filename, ...(settled ? { settled } : {}) };
  }
}

interface Run {
  readonly aim: UploadAim;
  readonly signal: AbortSignal;
}

function createAttempts(tools: UploadTools, input: SendingInput, { aim, signal }: Run) {
  const { client } = tools;
  const patience = createPatience();
  let safe_bytes = 0; // known to be on the host
  let sent_bytes = 0;

  /** The first progress value of an attempt is what the host already has. */
  function watchProgress(): (sent: number) => void {
    let is_first = true;
    return (sent) => {
      if (is_first && sent > safe_bytes) {
        safe_bytes = sent;
        patience.progressed();
      }
      is_first = false;
      sent_bytes = sent;
      input.onSent?.(sent);
    };
  }

  async function beginAnew(): Promise<'sent' | 'again'> {
    if (sent_bytes === input.file.size && (await isInPlace(client, input, aim))) return 'sent';
    await aim.forget();
    return 'again';
  }

  return {
    async make(): Promise<ClientError | undefined> {
      input.onState?.('queued');
      return tools.slots.use(signal, async () => {
        input.onState?.('running');
        const watch = { signal, onProgress: watchProgress(), onBegun: aim.begun };
        try {
          await tools.send(input.file, aim.plan(), watch);
          return undefined;
        } catch (error) {
          signal.throwIfAborted();
          return error instanceof ClientError ? error : networkError(error);
        }
      });
    },

    /** Prepares a retry, or throws the failure. */
    async recover(failure: ClientError): Promise<'sent' | 'skipped' | 'again'> {
      const { upload_id, overwrite } = aim.plan();
      if (failure.code === 'already_exists' && !overwrite) return aim.settle(signal);
      if (upload_id !== undefined && GONE.has(failure.status)) return beginAnew();
      if (failure.status === 0) await assertReadable(input.file);
      if (failure.status === 401) await take(client.http.GET('/api/auth/me')); // triggers the sign-in if the session has expired
      input.onState?.('retrying', failure);
      await patience.await(failure, signal);
      return 'again';
    },
  };
}

/** Whether the upload completed and only the last response was lost. */
async function isInPlace(client: GatewayClient, input: SendingInput, aim: UploadAim): Promise<boolean> {
  const { server_id, directory, filename } = aim.plan();
  const params = { path: { server_id }, query: { path: joinPath(directory, filename) } };
  try {
    const there = await take(client.http.GET('/api/files/{server_id}/stat', { params }));
    return !there.is_dir && there.size === input.file.size;
  } catch {
    return false; // sending it again reports the reason
  }
}

/** A file that changed or moved since it was chosen fails like a lost network, so check it. */
async function assertReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    const detail = 'The file on your computer has changed or moved';
    throw new ClientError({ status: 0, code: 'file_changed', detail }, { cause });
  }
}
