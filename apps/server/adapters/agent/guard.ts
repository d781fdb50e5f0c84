import { baseUrlOf } from '#core/model/agent.ts';
import type { LanguageModels } from '#core/ports/agent.ts';
import { isPublicAddress, objectionTo } from '../../lib/addresses.ts';
import { FORBIDDEN_TARGET, isPrivateTarget } from '../private-targets.ts';

export const WORDING = {
  https: 'The address must be an https URL',
  https_only: 'The address must be an https URL unless private addresses are allowed',
  not_public: 'The address is not public; allow private addresses to use it',
};

/** The agent’s own switch is not enough. */
const WITHOUT_OPERATOR = {
  https: WORDING.https,
  https_only: 'The address must be an https URL unless private addresses are allowed in the settings, too',
  not_public: 'The address is not public; private addresses must be allowed in the settings, too',
};

type Guarded = Parameters<LanguageModels['objection']>[0];

export interface ModelGuard {
  readonly objection: LanguageModels['objection'];
  /** Which addresses the name of the provider may resolve to. */
  rule(address: Guarded): ReturnType<typeof addressRule>;
}

/** `allowsPrivate`: the setting `webhook_allow_private`, which permits the switch of the agent. */
export function createModelGuard(allowsPrivate: () => boolean): ModelGuard {
  const wording = ({ allow_private_address }: Guarded) =>
    allow_private_address && !allowsPrivate() ? WITHOUT_OPERATOR : WORDING;
  const isAllowed = ({ allow_private_address }: Guarded) => allow_private_address && allowsPrivate();
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

function addressRule(allow_private: boolean, { not_public }: typeof WORDING) {
  return {
    isAllowed: (address: string) => (allow_private ? isPrivateTarget(address) : isPublicAddress(address)),
    refusal: allow_private ? FORBIDDEN_TARGET : not_public,
  };
}
