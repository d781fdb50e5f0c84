import { createHash } from 'node:crypto';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { Fault } from '#core/errors.ts';
import { storeFault, WRONG_ANSWER } from './store-fault.ts';

const REQUEST_MS = 20_000;
const PART_MS = 120_000; // 8 MiB at 70 kB/s
const CONNECT_MS = 5_000;
const URL_S = 12 * 3600; // a slow reader of a long recording
const ABORTED_AT_ONCE = 100;

/** An S3-compatible bucket. Without a key, the SDK looks for credentials in its usual places. */
export interface StoreOptions {
  readonly bucket: string;
  /** Undefined: AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly force_path_style: boolean;
  readonly credentials: { readonly access_key_id: string; readonly secret_access_key: string } | undefined;
}

export interface Part {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

export interface Upload {
  readonly key: string;
  readonly upload_id: string;
}

/** Objects in one bucket below a prefix. Its verbs throw `recording_store_…`, and `recording_file_missing`. */
export interface ObjectStore {
  readonly id: string;
  check(): Promise<void>;
  size(key: string): Promise<number>;
  /** Signed, for reading. */
  url(key: string): Promise<string>;
  put(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  begin(key: string, signal?: AbortSignal): Promise<Upload>;
  part(upload: Upload, part: { number: number; bytes: Uint8Array }, signal?: AbortSignal): Promise<Part>;
  finish(upload: Upload, parts: readonly Part[], signal?: AbortSignal): Promise<void>;
  /** Ends all unfinished uploads of this object, also those of an earlier process. */
  abandon(key: string): Promise<void>;
  /** No error when it does not exist. */
  remove(key: string): Promise<void>;
}

type Sdk = typeof import('@aws-sdk/client-s3');

interface SendOptions {
  readonly abortSignal: AbortSignal;
}

export function createObjectStore(options: StoreOptions): ObjectStore {
  const { bucket: Bucket, prefix } = options;
  let loaded: Promise<{ sdk: Sdk; client: S3Client }> | undefined;

  /** Gateways without a store never load the SDK. */
  const load = () => {
    loaded ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: new sdk.S3Client(toConfig(options)),
    }));
    return loaded;
  };

  async function call<T>(
    work: (sdk: Sdk, client: S3Client, send: SendOptions) => Promise<T>,
    { ms = REQUEST_MS, signal }: { readonly ms?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    const { sdk, client } = await load();
    const abortSignal = AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])]);
    try {
      return await work(sdk, client, { abortSignal });
    } catch (error) {
      throw storeFault(error);
    }
  }

  const named = (key: string) => ({ Bucket, Key: prefix + key });
  const inUpload = ({ key, upload_id }: Upload) => ({ ...named(key), UploadId: upload_id });
  return {
    id: storeId(options),

    async check() {
      try {
        await call((sdk, client, send) => client.send(new sdk.HeadBucketCommand({ Bucket }), send));
      } catch (error) {
        const is_missing = error instanceof Fault && error.code === 'recording_file_missing';
        throw is_missing ? new Fault('recording_store_refused', 'The bucket does not exist') : error;
      }
    },

    async size(key) {
      const head = await call((sdk, client, send) =>
        client.send(new sdk.HeadObjectCommand(named(key)), send),
      );
      const { ContentLength: size } = head;
      if (size === undefined || !(size >= 0)) throw new Fault('recording_store_refused', WRONG_ANSWER);
      return size;
    },

    async url(key) {
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      return call((sdk, client) =>
        getSignedUrl(client, new sdk.GetObjectCommand(named(key)), { expiresIn: URL_S }),
      );
    },

    async put(key, Body, signal) {
      const sent = { ms: PART_MS, signal };
      await call(
        (sdk, client, send) => client.send(new sdk.PutObjectCommand({ ...named(key), Body }), send),
        sent,
      );
    },

    async begin(key, signal) {
      const { UploadId } = await call(
        (sdk, client, send) => client.send(new sdk.CreateMultipartUploadCommand(named(key)), send),
        { signal },
      );
      if (!UploadId) throw new Fault('recording_store_refused');
      return { key, upload_id: UploadId };
    },

    async part(upload, { number, bytes }, signal) {
      const part = { ...inUpload(upload), PartNumber: number, Body: bytes };
      const sent = { ms: PART_MS, signal };
      const { ETag } = await call(
        (sdk, client, send) => client.send(new sdk.UploadPartCommand(part), send),
        sent,
      );
      return { PartNumber: number, ETag };
    },

    async finish(upload, parts, signal) {
      const whole = { ...inUpload(upload), MultipartUpload: { Parts: [...parts] } };
      const sent = { ms: PART_MS, signal };
      await call(
        (sdk, client, send) => client.send(new sdk.CompleteMultipartUploadCommand(whole), send),
        sent,
      );
    },

    async abandon(key) {
      await call(async (sdk, client, send) => {
        const asked = { Bucket, Prefix: prefix + key, MaxUploads: ABORTED_AT_ONCE };
        const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand(asked), send);
        for (const { Key, UploadId } of Uploads)
          if (Key === prefix + key)
            await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), send);
      });
    },

    async remove(key) {
      await call((sdk, client, send) => client.send(new sdk.DeleteObjectCommand(named(key)), send));
    },
  };
}

/** Not of the endpoint, whose name may change. */
function storeId({ bucket, prefix }: StoreOptions): string {
  return `s3-${createHash('sha256').update(`${bucket}/${prefix}`).digest('base64url').slice(0, 22)}`;
}

function toConfig({ endpoint, region, force_path_style, credentials }: StoreOptions): S3ClientConfig {
  return {
    region,
    forcePathStyle: force_path_style,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS },
    // Other stores do not know the newer checksums; what is stored is read again and compared.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials && {
      credentials: {
        accessKeyId: credentials.access_key_id,
        secretAccessKey: credentials.secret_access_key,
      },
    }),
  };
}
