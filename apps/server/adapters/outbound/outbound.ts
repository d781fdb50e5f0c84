import { ExchangeFailed, type Outbound } from '#core/ports/outside.ts';
import type { HostLookup } from '#worker/names/host-lookup.ts';
import { isPublicAddress, objectionTo } from '../../lib/addresses.ts';
import { exchange } from './exchange.ts';

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

export function createOutbound({ allow_private, names, ca }: Options): Outbound {
  const objection = (url: string) => objectionTo(url, allow_private, WORDING);
  const options = {
    names,
    isAllowed: (address: string) => allow_private || isPublicAddress(address),
    refusal: WORDING.not_public,
    ca,
  };

  return {
    objection,

    async post({ url, ...input }) {
      const refusal = objection(url);
      if (refusal !== undefined) throw new ExchangeFailed(refusal, { is_final: true });
      const response = await exchange({ ...input, url: new URL(url), method: 'POST' }, options);
      response.close();
      return { status: response.status };
    },
  };
}
