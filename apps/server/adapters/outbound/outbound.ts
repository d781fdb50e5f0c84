import { isIP } from 'node:net';
import { ExchangeFailed, type Outbound } from '#core/ports/outside.ts';
import type { HostLookup } from '#worker/names/host-lookup.ts';
import { hostOf, isPublicAddress, objectionTo } from '../../lib/addresses.ts';
import { FORBIDDEN_TARGET, isPrivateTarget } from '../private-targets.ts';
import { exchange } from './exchange.ts';

const WORDING = {
  https: 'A webhook needs an https URL',
  https_only: 'A webhook needs an https URL unless the settings allow private addresses',
  not_public: 'The address is not public; the settings can allow private ones',
};

interface Options {
  /** The setting `webhook_allow_private`, asked each time. */
  readonly allowsPrivate: () => boolean;
  readonly names: HostLookup;
  /** Replaces the certificate authorities that Node.js trusts. */
  readonly ca?: string;
}

export function createOutbound({ allowsPrivate, names, ca }: Options): Outbound {
  const isAllowed = (address: string) =>
    allowsPrivate() ? isPrivateTarget(address) : isPublicAddress(address);
  const refusal = () => (allowsPrivate() ? FORBIDDEN_TARGET : WORDING.not_public);

  function objection(url: string): string | undefined {
    const found = objectionTo(url, allowsPrivate(), WORDING);
    if (found !== undefined) return found;
    const host = hostOf(new URL(url));
    return isIP(host) && !isAllowed(host) ? refusal() : undefined;
  }

  return {
    objection,

    async post({ url, ...input }) {
      const refused = objection(url);
      if (refused !== undefined) throw new ExchangeFailed(refused, { is_final: true });
      const options = { names, isAllowed, refusal: refusal(), ca };
      const response = await exchange({ ...input, url: new URL(url), method: 'POST' }, options);
      response.close();
      return { status: response.status };
    },
  };
}
