import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { fitsForm, sendForm } from '#client/transfers/form-upload.ts';

const plan = { server_id: 3, directory: '/srv/ä', filename: 'a b.txt', overwrite: false };

function setUp(answer: () => Response) {
  const requests: Request[] = [];
  const client = createClient({
    base_url: 'https://gate.example/prefix',
    credentials: 'sesame',
    retries: 0,
    fetch: async (request) => {
      requests.push(request);
      return answer();
    },
  });
  const progress: number[] = [];
  const watch = { onProgress: (bytes: number) => void progress.push(bytes), onBegun: () => undefined };
  return { client, requests, progress, watch };
}

describe('A small file', () => {
  it('is sent in one request under its name', async () => {
    const { client, requests, progress, watch } = setUp(() => Response.json({ uploaded: [], count: 1 }));
    const signal = new AbortController().signal;
    await sendForm(client, new Blob(['content']), { plan, watch: { ...watch, signal } });
    const [request] = requests;
    expect(`${request?.method} ${request?.url}`).toBe(
      'POST https://gate.example/prefix/api/files/3/upload?path=%2Fsrv%2F%C3%A4&overwrite=false',
    );
    expect(request?.headers.get('Authorization')).toBe('Bearer sesame');
    const file = (await request?.formData())?.get('files');
    expect(file instanceof File && [file.name, await file.text()]).toEqual(['a b.txt', 'content']);
    expect(progress).toEqual([7]);
  });

  it('reports why it was refused', async () => {
    const taken = { detail: 'There is something', code: 'already_exists' };
    const { client, watch } = setUp(() => Response.json(taken, { status: 409 }));
    const signal = new AbortController().signal;
    const sending = sendForm(client, new Blob(['content']), { plan, watch: { ...watch, signal } });
    await expect(sending).rejects.toMatchObject({ status: 409, code: 'already_exists' });
  });

  it('is not sent when it was cancelled first', async () => {
    const { client, requests, watch } = setUp(() => Response.json({}));
    const signal = AbortSignal.abort();
    const sending = sendForm(client, new Blob(['content']), { plan, watch: { ...watch, signal } });
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
    expect(requests).toEqual([]);
  });

  it.each([
    [1024 * 1024, {}, true],
    [1024 * 1024 + 1, {}, false],
    [1, { upload_id: 'begun' }, false],
    [1, { filename: 'say "hi"' }, false],
    [1, { filename: 'back\\slash' }, false],
    [1, { filename: 'two\nlines' }, false],
  ])('of %i bytes with %j is sent that way: %s', (size, fields, fits) => {
    expect(fitsForm(new Blob([new Uint8Array(size)]), { ...plan, ...fields })).toBe(fits);
  });
});
