import ipaddr from 'ipaddr.js';
import { baseUrlOf } from '#core/model/agent.ts';
import type { LanguageModels } from '#core/ports/agent.ts';
import { isPublicAddress, objectionTo } from '../outbound/addresses.ts';
import { createTargetRule } from '../quick-targets.ts';

export const WORDING = {
  https: 'The address must be an https URL',
  https_only: 'The address must be an https URL unless private addresses are allowed',
  not_public: 'The address is not public; allow private addresses to use it',
};

const FORBIDDEN = 'The address must not be link-local or the metadata service of a cloud';

export const objection: LanguageModels['objection'] = (address) => {
  const url = baseUrlOf(address);
  if (url === '') return 'This provider needs an address';
  if (url.includes('?')) return 'The address must not have a query (?…)';
  return objectionTo(url, address.allow_private_address, WORDING);
};

/** Metadata services answer every client on their machine: no switch allows them. */
const isUsable = createTargetRule([]);

/** Which addresses the name of the provider may resolve to. */
export function addressRule(allow_private: boolean) {
  return {
    isAllowed: (address: string) =>
      allow_private ? isLoopback(address) || isUsable(address) : isPublicAddress(address),
    refusal: allow_private ? FORBIDDEN : WORDING.not_public,
  };
}

function isLoopback(address: string): boolean {
  return ipaddr.process(address.replace(/%.*$/, '')).range() === 'loopback';
}
