import ipaddr from 'ipaddr.js';
import { createTargetRule } from './quick-targets.ts';

export const FORBIDDEN_TARGET = 'The address must not be link-local or the metadata service of a cloud';

/** Metadata services answer every client on their machine: nothing allows them. */
const isUsable = createTargetRule([]);

/** Where private addresses are allowed: loopback, too, but no link-local address and no metadata service. */
export function isPrivateTarget(address: string): boolean {
  return isLoopback(address) || isUsable(address);
}

function isLoopback(address: string): boolean {
  return ipaddr.process(address.replace(/%.*$/, '')).range() === 'loopback';
}
