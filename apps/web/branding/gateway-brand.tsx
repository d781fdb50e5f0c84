import { useApp } from '../app/context.ts';
import { Brand } from '../parts/brand.tsx';
import { imageUrl, useBranding } from './branding.ts';

/** The gateway's own name and logo. */
export function GatewayBrand(props: { large?: boolean }) {
  const { client } = useApp();
  const branding = useBranding();
  return (
    <Brand name={branding().app_name} logo={imageUrl(client, branding().logo)} large={props.large ?? false} />
  );
}
