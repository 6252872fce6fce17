import type { FileRecord } from '../../shared/contract/files.ts';
import { describeSeries, explainSupport, formatKind } from '../series/describeFile.ts';
import { FactSection } from './FactSection.tsx';

/** What kind of object a file holds. */
export function ObjectSection({ file }: { readonly file: FileRecord }) {
  return (
    <FactSection
      title="Object"
      facts={[
        ['Kind', formatKind(file.object_kind)],
        ['Class', file.sop_class_name ?? file.sop_class_uid],
        ['Modality', file.modality],
        ['Series', describeSeries(file)],
        ['Instance', file.instance_number],
        ['Image', file.support_state === 'renderable' ? undefined : explainSupport(file)],
      ]}
    />
  );
}
