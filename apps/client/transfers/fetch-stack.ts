import type { HttpRequest, HttpResponse, UploadOptions } from 'tus-js-client';
import { limitedText } from '../transport/client-error.ts';
import type { Send } from '../transport/send.ts';

type Means = Pick<UploadOptions, 'fileReader' | 'httpStack'>;

/** Sends Blobs with fetch, for runtimes without XMLHttpRequest. Progress is reported for each request, not within one. */
export function fetchMeans(send: Send): Means {
  return {
    httpStack: {
      createRequest: (method, url) => createRequest(send, { method, url }),
      getName: () => 'FetchHttpStack',
    },
    fileReader: {
      openFile: async (file: Blob) => ({
        size: file.size,
        slice: async (start, end) => ({ value: file.slice(start, end), done: end >= file.size }),
        close: () => undefined,
      }),
    },
  };
}

function createRequest(send: Send, { method, url }: { method: string; url: string }): HttpRequest {
  const headers = new Headers();
  const ending = new AbortController();
  let onProgress: (sent_bytes: number) => void = () => undefined;
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => headers.set(name, value),
    getHeader: (name) => headers.get(name) ?? undefined,
    setProgressHandler(handler) {
      onProgress = handler;
    },
    async send(body: Blob | null = null) {
      const response = await send(new Request(url, { method, headers, body, signal: ending.signal }));
      const text = await limitedText(response);
      if (response.ok && body) onProgress(body.size);
      return toResponse(response, text);
    },
    abort: async () => ending.abort(),
    getUnderlyingObject: () => undefined,
  };
}

function toResponse(response: Response, text: string): HttpResponse {
  return {
    getStatus: () => response.status,
    getHeader: (name) => response.headers.get(name) ?? undefined,
    getBody: () => text,
    getUnderlyingObject: () => response,
  };
}
