import type { GatewayClient } from '#client/client.ts';
import type { UploadPlan, UploadWatch } from '#client/transfers/tus-upload.ts';
import type { ClientError } from '#client/transport/client-error.ts';
import type { Batch, Conflicts } from '../conflicts.ts';
import type { Slots } from '../slots.ts';
import type { Ledger } from './ledger.ts';

export type SendFile = (file: File, plan: UploadPlan, watch: UploadWatch) => Promise<void>;

export interface UploadTools {
  readonly client: GatewayClient;
  readonly user_id: number;
  readonly ledger: Ledger;
  /** Shared by all transfers. */
  readonly slots: Slots;
  readonly conflicts: Conflicts;
  readonly send: SendFile;
}

export type SendingState = 'queued' | 'running' | 'retrying' | 'asking';

export interface SendingInput {
  readonly job_id: string;
  readonly file: File;
  readonly server_id: number;
  readonly directory: string;
  readonly name: string;
  readonly batch: Batch;
  readonly onState?: (state: SendingState, why?: ClientError) => void;
  readonly onSent?: (sent_bytes: number) => void;
}
