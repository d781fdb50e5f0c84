import type { LookupAddress } from 'node:dns';
import type { ClientRequest } from 'node:http';
import { abortable } from '#core/lib/deadline.ts';
import { type Outbound, type Posted, PostFailed } from '#core/ports/outside.ts';
import type { HostLookup } from '#worker/ssh/dial/host-lookup.ts';
import { isPublicAddress, objectionTo } from '../../lib/addresses.ts';
import { allowedAddresses, inTime, openRequest } from './connection.ts';
import { toPostFailed } from './failures.ts';

const WORDING = {
  https: 'A webhook needs an https URL',
  https_only: 'A webhook needs an https URL unless SERVICE_WEBHOOK_ALLOW_PRIVATE is on',
  not_public: 'The address is not public; SERVICE_WEBHOOK_ALLOW_PRIVATE allows private ones',
};

interface Options {
  /** `SERVICE_WEBHOOK_ALLOW_PRIVATE`. */
  readonly allow_private: boolean;
  readonly names: HostLookup;
  /** Replaces the certificate authorities that Node.js trusts. */
  readonly ca?: string;
}

type PostInput = Parameters<Outbound['post']>[0];

export function createOutbound({ allow_private, names, ca }: Options): Outbound {
  const objection = (url: string) => objectionTo(url, allow_private, WORDING);
  const rule = {
    names,
    isAllowed: (address: string) => allow_private || isPublicAddress(address),
    refusal: WORDING.not_public,
  };

  return {
    objection,

    async post(input) {
      const refusal = objection(input.url);
      if (refusal !== undefined) throw new PostFailed(refusal, { is_final: true });
      const url = new URL(input.url);
      return inTime(input, async (signal) => {
        const addresses = await allowedAddresses(url, rule, signal);
        return send(url, { ...input, signal, addresses, ca });
      });
    },
  };
}

interface Sending extends PostInput {
  readonly addresses: LookupAddress[];
  readonly ca: string | undefined;
}

function send(url: URL, { headers, body, signal, addresses, ca }: Sending): Promise<Posted> {
  const sized = { ...headers, 'Content-Length': body.byteLength };
  return abortable<Posted>(signal, (resolve, reject) => {
    const outgoing = openRequest(url, { method: 'POST', headers: sized, addresses, ca });
    listen(outgoing, resolve, reject);
    outgoing.end(body);
    return () => outgoing.destroy();
  });
}

/** Reads the status line and the header, then closes the connection without reading the body. */
function listen(
  outgoing: ClientRequest,
  resolve: (posted: Posted) => void,
  reject: (error: PostFailed) => void,
): void {
  const answered = (status = 0) => {
    resolve({ status });
    outgoing.destroy();
  };
  outgoing.on('response', (response) => {
    response.on('error', () => undefined); // we closed the connection
    answered(response.statusCode);
  });
  outgoing.on('upgrade', ({ statusCode }, socket) => {
    socket.destroy();
    answered(statusCode);
  });
  outgoing.on('error', (error) => reject(error instanceof PostFailed ? error : toPostFailed(error)));
  outgoing.on('close', () => reject(new PostFailed('The connection was closed without a response')));
}
