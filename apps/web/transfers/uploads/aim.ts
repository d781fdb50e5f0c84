import type { UploadPlan } from '#client/transfers/tus-upload.ts';
import { joinPath } from '../../lib/paths.ts';
import { numberedName } from '../names.ts';
import { fingerprintOf } from './ledger.ts';
import { persist } from './patience.ts';
import type { SendingInput, UploadTools } from './upload.ts';

export type Settled = 'replaced' | 'kept_both';

/** The target name of an upload and what is already on the host. */
export interface UploadAim {
  plan(): UploadPlan;
  begun(upload_id: string): void;
  /** The part is finished, abandoned or gone. */
  forget(): Promise<void>;
  /** What the name conflicts so far have come to. */
  settled(): Settled | undefined;
  /** Resolves a name conflict. */
  settle(signal: AbortSignal): Promise<'skipped' | 'again'>;
}

/** Resumes the part of the same file and destination, if there is one. */
export async function createUploadAim(tools: UploadTools, input: SendingInput): Promise<UploadAim> {
  const { ledger, user_id } = tools;
  const { file, server_id, directory, batch, job_id } = input;
  const path = joinPath(directory, input.name);
  const identity = { server_id, path, size: file.size, modified_ms: file.lastModified };
  const fingerprint = fingerprintOf(user_id, identity);
  const part = await ledger.part(fingerprint);
  if (part && part.job_id !== job_id) void ledger.keepPart({ ...part, job_id }); // the same file was chosen again
  let filename = part?.filename ?? input.name;
  let overwrite = part?.overwrite ?? false; // even if one answer is for all: only a refusal says that there was a file
  let upload_id = part?.upload_id;
  let number = 1;

  async function forget(): Promise<void> {
    if (upload_id === undefined) return; // many small files never create a part
    upload_id = undefined;
    await ledger.forgetPart(fingerprint);
  }

  function ask(signal: AbortSignal) {
    if (!batch.answer) input.onState?.('asking');
    return tools.conflicts.ask({ server_id, path, file: identity }, batch, signal);
  }

  return {
    settled: () => (number > 1 ? 'kept_both' : overwrite ? 'replaced' : undefined),
    plan: () => ({ server_id, directory, filename, overwrite, upload_id }),
    forget,
    begun(id) {
      if (upload_id === id) return;
      upload_id = id;
      void ledger.keepPart({ fingerprint, user_id, job_id, server_id, upload_id, filename, overwrite });
    },
    async settle(signal) {
      await forget();
      const answer = number > 1 ? 'keep_both' : await ask(signal);
      if (answer === 'skip') return 'skipped';
      if (answer === 'replace') overwrite = true;
      else {
        number += 1;
        filename = numberedName(input.name, number);
      }
      return 'again';
    },
  };
}

/** Deletes a job's parts from the host as far as possible. The rest expires. */
export async function discardParts(
  { client, ledger }: Pick<UploadTools, 'client' | 'ledger'>,
  job_id: string,
) {
  const never = new AbortController().signal;
  const parts = await ledger.parts();
  for (const { fingerprint, server_id, upload_id } of parts.filter((part) => part.job_id === job_id)) {
    await ledger.forgetPart(fingerprint);
    const params = { path: { server_id, upload_id }, header: { 'tus-resumable': '1.0.0' } };
    // A part that was just aborted may still be busy: 423 is retried.
    const removal = () => client.http.DELETE('/api/files/{server_id}/uploads/{upload_id}', { params });
    await persist(removal, never).catch(() => undefined);
  }
}
