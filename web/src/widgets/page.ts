import { showRecordedWidgets } from "./recorded";

void showRecordedWidgets(document);
