import { describe, expect, it } from 'vitest';
import { ClientError } from '#client/transport/client-error.ts';
import { runBatch } from '../../../apps/web/files/changes/batch.ts';

const paths = Array.from({ length: 20 }, (_, at) => `/${at}`);
const refusal = (status: number, code: string) => new ClientError({ status, code, detail: code });

function following() {
  const counts: number[] = [];
  const control = new AbortController();
  return { counts, control, options: { signal: control.signal, onProgress: (n: number) => counts.push(n) } };
}

describe('a batch of operations', () => {
  it('runs all of them, a few at once', async () => {
    const { counts, options } = following();
    let under_way = 0;
    let most = 0;
    const work = async () => {
      under_way += 1;
      most = Math.max(most, under_way);
      await Promise.resolve();
      under_way -= 1;
    };
    const { done, failures, left } = await runBatch(paths, work, options);
    expect([done.length, failures, left, counts.at(-1), most]).toEqual([20, [], [], 20, 4]);
  });

  it('continues after one is refused', async () => {
    const work = async (path: string) => {
      if (path === '/3') throw refusal(403, 'permission_denied');
    };
    const { done, failures, left } = await runBatch(paths, work, following().options);
    expect([done.length, failures.map(({ path }) => path), left]).toEqual([19, ['/3'], []]);
  });

  it.each([
    [502, 'host_disconnected'],
    [403, 'sftp_read_only'],
    [409, 'credentials_required'],
  ])('stops at %i %s, which would refuse all', async (status, code) => {
    const work = () => Promise.reject(refusal(status, code));
    const { done, failures, left } = await runBatch(paths, work, following().options);
    expect([done.length, failures.length, left.length]).toEqual([0, 4, 16]);
  });

  it('does not start the rest when it is cancelled', async () => {
    const { control, options } = following();
    const work = async (path: string) => {
      if (path === '/5') control.abort();
      options.signal.throwIfAborted();
    };
    const { done, failures, left } = await runBatch(paths, work, options);
    expect(failures).toEqual([]);
    expect([...done, ...left].sort()).toEqual([...paths].sort());
    expect(left).toContain('/19');
  });
});
