import type { Send } from './send.ts';

// Node aborts a fetch through its Request, but lets go of the Request while the body flows: once collected, nothing aborts.
const kept = new WeakMap<ReadableStream | Request, Request>();

/** Keeps each request as long as the body of its response, so that its signal still ends the body. */
export function keepRequests(send: Send): Send {
  return async (request) => {
    const response = await send(request);
    if (response.body) kept.set(response.body, request);
    return response;
  };
}

/** A copy to send later. It is aborted through the original, which it keeps. */
export function copyOf(request: Request): Request {
  const copy = request.clone();
  kept.set(copy, request);
  return copy;
}
