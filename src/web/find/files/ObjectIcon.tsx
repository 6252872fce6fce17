import {
  Activity,
  Captions,
  File,
  FileText,
  Film,
  Image,
  type LucideIcon,
  Move3d,
  Paperclip,
  Radiation,
  Ruler,
  Star,
} from 'lucide-react';
import type { FileRecord } from '../../../shared/contract/files.ts';

type Kind = FileRecord['object_kind'];

const ICONS: { readonly [kind in Kind]?: LucideIcon } = {
  structured_report: FileText,
  key_object_selection: Star,
  presentation_state: Captions,
  registration: Move3d,
  real_world_value_mapping: Ruler,
  waveform: Activity,
  radiation_therapy: Radiation,
  encapsulated_document: Paperclip,
  video: Film,
  unknown: File,
};

type Props = { readonly kind: Kind | undefined; readonly className: string | undefined };

/** Decorative: the line beside it has the name. */
export function ObjectIcon({ kind, className }: Props) {
  const Icon = (kind && ICONS[kind]) ?? Image;
  return <Icon size={14} className={className} aria-hidden="true" />;
}
