namespace muster {
extern const char placeholder_job = 0;
}
