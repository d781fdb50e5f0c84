import ipaddr from 'ipaddr.js';
import { baseUrlOf } from '#core/model/agent.ts';
import type { LanguageModels } from '#core/ports/agent.ts';
import { isPublicAddress, objectionTo } from '../../lib/addresses.ts';
import { createTargetRule } from '../quick-targets.ts';

export const WORDING = {
  https: 'The address must be an https URL',
  https_only: 'The address must be an https URL unless private addresses are allowed',
  not_public: 'The address is not public; allow private addresses to use it',
};

const FORBIDDEN = 'The address must not be link-local or the metadata service of a cloud';

/** The switch of the settings is not enough: an administrator of the page must not reach what only the operator may. */
const WITHOUT_OPERATOR = {
  https: WORDING.https,
  https_only: 'The address must be an https URL unless SERVICE_WEBHOOK_ALLOW_PRIVATE is on, too',
  not_public: 'The address is not public; SERVICE_WEBHOOK_ALLOW_PRIVATE must be on, too',
};

type Guarded = Parameters<LanguageModels['objection']>[0];

export interface ModelGuard {
  readonly objection: LanguageModels['objection'];
  /** Which addresses the name of the provider may resolve to. */
  rule(address: Guarded): ReturnType<typeof addressRule>;
}

/** `allow_private`: `SERVICE_WEBHOOK_ALLOW_PRIVATE`, which permits the switch of the settings. */
export function createModelGuard(allow_private: boolean): ModelGuard {
  const wording = ({ allow_private_address }: Guarded) =>
    allow_private_address && !allow_private ? WITHOUT_OPERATOR : WORDING;
  const isAllowed = ({ allow_private_address }: Guarded) => allow_private_address && allow_private;
  return {
    objection(address) {
      const url = baseUrlOf(address);
      if (url === '') return 'This provider needs an address';
      if (url.includes('?')) return 'The address must not have a query (?…)';
      return objectionTo(url, isAllowed(address), wording(address));
    },
    rule: (address) => addressRule(isAllowed(address), wording(address)),
  };
}

/** Metadata services answer every client on their machine: no switch allows them. */
const isUsable = createTargetRule([]);

function addressRule(allow_private: boolean, { not_public }: typeof WORDING) {
  return {
    isAllowed: (address: string) =>
      allow_private ? isLoopback(address) || isUsable(address) : isPublicAddress(address),
    refusal: allow_private ? FORBIDDEN : not_public,
  };
}

function isLoopback(address: string): boolean {
  return ipaddr.process(address.replace(/%.*$/, '')).range() === 'loopback';
}
