import type { LucideIcon } from 'lucide-react';
import { ToolButton } from '../kit/ui/ToolButton.tsx';
import { usePage } from '../kit/state/page.ts';
import { getCommand, keysOf } from './commandTable.ts';
import { useCommand } from './useCommand.ts';

type Props = {
  readonly id: string;
  readonly icon: LucideIcon | string;
  /** Written beside the icon. */
  readonly name?: string | undefined;
};

export function CommandButton({ id, icon: Icon, name }: Props) {
  const page = usePage();
  const command = getCommand(id);
  const { isEnabled, isOn, reason, run } = useCommand(command);
  return (
    <ToolButton
      label={command.title}
      keyHint={keysOf(page, command)[0]}
      reason={reason}
      isOn={isOn}
      disabled={!isEnabled && reason === undefined}
      onClick={run}
    >
      {typeof Icon === 'string' ? Icon : <Icon size={17} aria-hidden="true" />}
      {name}
    </ToolButton>
  );
}
