import type { FileRecord } from '../../shared/contract/files.ts';
import type { InfoResponse } from '../../shared/contract/info.ts';
import { FactSection } from './FactSection.tsx';
import { imageFacts } from './imageFacts.ts';
import { Warnings } from './Warnings.tsx';

export function ImageSection({ file, info }: { readonly file: FileRecord; readonly info: InfoResponse }) {
  return (
    <>
      <Warnings warnings={info.warnings} />
      <FactSection title="Image" facts={imageFacts(file, info)} />
    </>
  );
}
