import { useApp } from '../state/app-context.ts';
import { imageUrl, useBranding } from '../state/branding.ts';
import { Brand } from './brand.tsx';

/** The name and the sign of this gateway. */
export function GatewayBrand(props: { large?: boolean }) {
  const { client } = useApp();
  const branding = useBranding();
  return (
    <Brand name={branding().app_name} logo={imageUrl(client, branding().logo)} large={props.large ?? false} />
  );
}
