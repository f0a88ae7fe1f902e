// The explorer's page begins here: it has these views.

import "uplot/dist/uPlot.min.css";
import "./page.css";
import { begin } from "./router.ts";
import { explore } from "./views/explore.ts";

const root = document.getElementById("app") ?? document.body;
void begin(root, [explore]);
